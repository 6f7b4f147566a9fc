import { expect, it } from 'vitest';
import { obstacleOf, type Environment } from './support';

const GOOD: Environment = {
    secure: true,
    push: true,
    apple: false,
    installed: false,
    permission: 'default',
};

it('has nothing to say where notifications work', () => {
    expect(obstacleOf(GOOD)).toBeUndefined();
    expect(obstacleOf({ ...GOOD, permission: 'granted' })).toBeUndefined();
    expect(obstacleOf({ ...GOOD, apple: true, installed: true })).toBeUndefined();
});

it('says what to do first', () => {
    const title = (environment: Partial<Environment>) => obstacleOf({ ...GOOD, ...environment })?.title;
    expect(title({ secure: false, push: false, apple: true })).toBe('This address has no HTTPS');
    expect(title({ push: false, apple: true })).toBe('Add Paseo to the Home Screen first');
    expect(title({ push: false, apple: true, installed: true })).toBe(
        'This browser cannot show notifications',
    );
    expect(title({ push: false })).toBe('This browser cannot show notifications');
    expect(title({ permission: 'denied' })).toBe('Notifications are blocked');
});
