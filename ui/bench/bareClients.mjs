/*
 * Bare `tmux attach` clients that watch terminals, in a process of their own: what they print is stamped as it arrives,
 * whatever the scene beside them is doing. It is given the socket of the tmux server and the names of the sessions, and
 * answers each word it is told with how late marks came since the last one, in milliseconds.
 */
import { spawn } from 'node:child_process';

const [socket, ...sessions] = process.argv.slice(2);
const clients = [];
let late = [];

for (const session of sessions) {
    const attach = `tmux -S ${socket} attach -t =${session}: -f read-only,ignore-size`;
    const client = spawn('script', ['-q', '-f', '-c', attach, '/dev/null'], {
        env: { ...process.env, TERM: 'xterm-256color', TMUX: '' },
        stdio: ['pipe', 'pipe', 'ignore'],
    });
    let rest = '';
    client.stdout.on('data', (bytes) => {
        const now = performance.timeOrigin + performance.now();
        const text = rest + bytes.toString('latin1');
        let end = 0;
        for (const match of text.matchAll(/@(\d{16})@/g)) {
            late.push(now - Number(match[1]) / 1000);
            end = match.index + match[0].length;
        }
        rest = text.slice(Math.max(end, text.length - 17));
    });
    clients.push(client);
}

process.once('disconnect', () => clients.forEach((client) => client.kill('SIGTERM')));

process.on('message', () => {
    process.send(late);
    late = [];
});
