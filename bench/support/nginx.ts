import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** nginx as a plain proxy with kept-alive connections before a port; undefined where it is not installed. */
export async function startNginx(upstream: number): Promise<{ port: number; stop: () => void } | undefined> {
  if (spawnSync('nginx', ['-v']).error) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'planchet-bench-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr crit;
    events { worker_connections 256; }
    http {
      access_log off; keepalive_requests 1000000000; ${temporary.join(' ')}
      upstream node { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 1000000000; }
      server {
        listen 127.0.0.1:${port};
        location / { proxy_pass http://node; proxy_http_version 1.1; proxy_set_header Connection "";
          client_body_buffer_size 256k; proxy_buffer_size 64k; proxy_buffers 8 64k; }
      }
    }`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
  for (let attempt = 0; attempt < 100 && !(await answers(port)); attempt++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { port, stop: () => child.kill() };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
