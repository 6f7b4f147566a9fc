/// <reference lib="webworker" />
import { createLowlight } from 'lowlight';
import { coloursOf, type Colours } from './colours';
import type { Language } from './languages';
import { load } from './loads';

export interface Question {
    readonly id: number;
    readonly language: Language;
    readonly text: string;
}

export interface Reply {
    readonly id: number;
    readonly colours: Colours;
}

const lowlight = createLowlight();

self.onmessage = async ({ data }: MessageEvent<Question>) => {
    const { id, language, text } = data;
    if (!lowlight.registered(language)) lowlight.register(language, await load(language));
    const reply: Reply = { id, colours: coloursOf(lowlight.highlight(language, text)) };
    self.postMessage(reply);
};
