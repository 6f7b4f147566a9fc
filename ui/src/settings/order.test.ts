import { expect, it } from 'vitest';
import { Order } from './order';

it('drops an answer that was overtaken by a newer one', () => {
    const order = new Order();
    const [first, second, third] = [order.ask(), order.ask(), order.ask()];
    expect(order.isNews(second)).toBe(true);
    expect(order.isNews(first)).toBe(false);
    expect(order.isNews(third)).toBe(true);
});

it('drops what was asked before a change, and takes what was asked after it', () => {
    const order = new Order();
    const before = order.ask();
    order.changed();
    expect(order.isNews(before)).toBe(false);
    expect(order.isNews(order.ask())).toBe(true);
});
