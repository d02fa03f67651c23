/**
 * Every environment variable by which the `openai` package changes what it does when no option says otherwise.
 * They belong to whoever set up the runner, not to the maintainer who wrote the inputs, so the front door removes them.
 * Free of imports, so that the front door need not load the package to know them.
 */
export const SDK_ENVIRONMENT_VARIABLES: readonly string[] = [
  'OPENAI_API_KEY',
  'OPENAI_ADMIN_KEY',
  'OPENAI_BASE_URL',
  'OPENAI_ORG_ID',
  'OPENAI_PROJECT_ID',
  'OPENAI_WEBHOOK_SECRET',
  'OPENAI_LOG',
  'OPENAI_CUSTOM_HEADERS',
  'OPENAI_API_VERSION',
  'AZURE_OPENAI_API_KEY',
];
