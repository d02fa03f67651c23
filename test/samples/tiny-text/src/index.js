export { capitalize } from './capitalize.js';
export { truncate } from './truncate.js';
export { words } from './words.js';
