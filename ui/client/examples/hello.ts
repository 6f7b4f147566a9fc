import { Paseo } from '@paseo/client';

const { PASEO_URL: url, PASEO_TOKEN: token } = process.env;
const paseo = new Paseo({ url, token });
const { session } = await paseo.create({ directory: process.cwd() });
const { seq } = await paseo.send(session.id, 'Say hello');
for await (const { type, frame } of paseo.events({ after: seq, topics: [`session:${session.id}`] })) {
    if (type === 'item' && frame.item.kind === 'assistant_text') console.log(frame.item.text);
    if (type === 'event' && frame.change.type === 'turn_ended') break;
}
