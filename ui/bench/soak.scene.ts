import { Chatter } from './chatter';
import { decide, requests } from './requests';
import { pass, resident } from './stopwatch';
import { report, say, scene, told } from './world';
import type { Daemon } from '../tests/daemon';
import { Visitor } from './visitor';

/** Agents that work all the time, and how many things each says in a second. */
const TALKERS = 5;
const TALK = 4;
/** How often a request is answered, and its agent asks again. */
const DECIDE_EVERY_MS = 1000;
/** The part of the time after which everything that is kept is there. */
const WARM = 0.25;

interface About {
    readonly seconds: number;
    readonly browsers: number;
    /** The daemon's process. */
    readonly pid: number;
}

scene('many browsers look at many agents for minutes', async ({ browse, daemon }) => {
    const { about, long, items } = told<About>();
    const milliseconds = about.seconds * 1000;
    scene.setTimeout(milliseconds + 600_000);
    const talkers: string[] = [];
    for (let number = 0; number < TALKERS; number++)
        talkers.push(await daemon.create({ name: `talks ${number}`, labels: { ui: 'true' } }));
    const visitors: Visitor[] = [];
    for (let number = 0; number < about.browsers; number++)
        visitors.push(await Visitor.enter(await browse(), number, { long, items, talkers }));

    const end = Date.now() + milliseconds;
    const measureAt = Date.now() + milliseconds * WARM;
    const chatters = talkers.map((agent) => new Chatter(daemon, agent, TALK));
    const talking = chatters.map((chatter) => chatter.talk());
    const deciding = answer(daemon, end);
    await together(visitors, (visitor) => visitor.walk(measureAt));
    const heapsBefore = await together(visitors, (visitor) => visitor.heap());
    const residentBefore = resident(about.pid);
    await together(visitors, (visitor) => visitor.walk(end));
    chatters.forEach((chatter) => chatter.stop());
    await Promise.all(talking);
    const decided = await deciding;
    const heapsAfter = await together(visitors, (visitor) => visitor.heap());
    const residentAfter = resident(about.pid);
    const freezes = await together(visitors, (visitor) => visitor.longest());
    const { longest, doing } = freezes.reduce((one, other) => (other.longest > one.longest ? other : one));
    const complaints = visitors.flatMap((visitor) => visitor.complaints);
    if (complaints.length > 0) process.stderr.write(`${complaints.join('\n')}\n`);
    const acts = visitors.reduce((sum, visitor) => sum + visitor.acts, 0);
    report({
        heapsBefore,
        heapsAfter,
        residentBefore,
        residentAfter,
        longest,
        doing,
        complaints,
        acts,
        decided,
    });
});

function together<Result>(
    visitors: readonly Visitor[],
    act: (visitor: Visitor) => Promise<Result>,
): Promise<Result[]> {
    return Promise.all(visitors.map(act));
}

/** Answers one request after the other; whoever got an answer asks again. Returns how many were answered. */
async function answer(daemon: Daemon, end: number): Promise<number> {
    let decided = 0;
    while (Date.now() < end) {
        const [oldest] = await requests(daemon);
        if (oldest) {
            await decide(daemon, oldest);
            decided += 1;
            await say(daemon, oldest.session, `<<ask May I publish version 2.${decided}?>>`);
        }
        await pass(DECIDE_EVERY_MS);
    }
    return decided;
}
