/** A git server over HTTP: `git http-backend` behind node, with GitHub's kind of authentication. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GitServer {
  readonly url: string;
  /** The Authorization header of every request, in order. */
  readonly authorizations: string[];
  readonly close: () => Promise<void>;
}

/** Serves the bare repositories below `root`; `token` is asked for when given. */
export async function startGitServer(root: string, token?: string): Promise<GitServer> {
  const authorizations: string[] = [];
  const wanted = token && `basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization ?? '');
    if (wanted && request.headers.authorization !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const [path, query = ''] = (request.url ?? '').split('?');
    const backend = spawn(
      'git',
      ['-c', 'http.receivepack=true', '-c', 'uploadpack.allowAnySHA1InWant=true', 'http-backend'],
      {
        env: {
          PATH: process.env.PATH,
          GIT_PROJECT_ROOT: root,
          GIT_HTTP_EXPORT_ALL: '1',
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_CONFIG_COUNT: '2',
          GIT_CONFIG_KEY_0: 'safe.directory',
          GIT_CONFIG_VALUE_0: '*',
          GIT_CONFIG_KEY_1: 'uploadpack.allowFilter',
          GIT_CONFIG_VALUE_1: 'true',
          HOME: '/nonexistent',
          PATH_INFO: decodeURIComponent(path ?? ''),
          QUERY_STRING: query,
          REQUEST_METHOD: request.method,
          CONTENT_TYPE: request.headers['content-type'] ?? '',
          REMOTE_USER: 'tester',
          REMOTE_ADDR: '127.0.0.1',
          ...(request.headers['git-protocol'] && { GIT_PROTOCOL: String(request.headers['git-protocol']) }),
          ...(request.headers['content-encoding'] && {
            HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
          }),
        },
      },
    );
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', chunk => chunks.push(chunk));
    backend.on('close', () => {
      const all = Buffer.concat(chunks);
      const end = all.indexOf('\r\n\r\n');
      const headers = all
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map(line => line.split(': ') as [string, string]);
      const status = headers.find(([name]) => name === 'Status')?.[1];
      for (const [name, value] of headers) if (name !== 'Status') response.setHeader(name, value);
      response.writeHead(status ? Number.parseInt(status, 10) : 200).end(all.subarray(end + 4));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorizations,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
