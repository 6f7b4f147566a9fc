import { Paseo, PaseoError } from '@paseo/client';

const { PASEO_URL: url, PASEO_TOKEN: token } = process.env;
const paseo = new Paseo({ url, token });

// An agent, and a message to it. Both requests are repeated if the daemon is away, and take effect once.
const { session } = await paseo.create({ directory: process.cwd() });
const receipt = await paseo.send(session.id, 'Hello <<stream 5ms Good morning to you>>');

// What happens from there on, until the turn is over. After a lost connection, the stream continues where it stopped.
for await (const { type, frame } of paseo.events({ after: receipt.seq, topics: [`session:${session.id}`] })) {
    if (type === 'item' && frame.item.kind === 'assistant_text') console.log('answer:', frame.item.text);
    if (type === 'event' && frame.change.type === 'turn_ended') {
        console.log('turn:', frame.change.outcome);
        break;
    }
}

// A list, page by page.
for await (const page of paseo.pages('/api/sessions', { query: { limit: 50 } })) {
    for (const { handle, status } of page.sessions) console.log('session:', handle, status);
}

// A refusal.
try {
    await paseo.send('ffff', 'Is anyone there?');
} catch (error) {
    if (!(error instanceof PaseoError)) throw error;
    console.log('refused:', error.status, error.code);
}
