/** What a browser says about itself, as far as notifications need it. */
export interface Environment {
    /** The page came by HTTPS, or from this machine. */
    readonly secure: boolean;
    /** The browser knows push messages and service workers. */
    readonly push: boolean;
    /** An iPhone or iPad. */
    readonly apple: boolean;
    /** The app is on the Home Screen, and was opened from there. */
    readonly installed: boolean;
    readonly permission: NotificationPermission;
}

/** Why this browser cannot show notifications, and what to do. */
export interface Obstacle {
    readonly title: string;
    readonly words: readonly string[];
}

export function environment(): Environment {
    // iPads call themselves Macs; only they have fingers.
    const apple =
        /iPhone|iPad|iPod/.test(navigator.userAgent) ||
        (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
    return {
        secure: window.isSecureContext,
        push: 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window,
        apple,
        installed: matchMedia('(display-mode: standalone)').matches,
        permission: 'Notification' in window ? Notification.permission : 'default',
    };
}

/** Returns what stands in the way; the first of several. */
export function obstacleOf({
    secure,
    push,
    apple,
    installed,
    permission,
}: Environment): Obstacle | undefined {
    if (!secure)
        return {
            title: 'This address has no HTTPS',
            words: [
                'Browsers allow notifications only over HTTPS, or on the machine that the daemon runs on.',
                'Put the daemon behind a reverse proxy or tunnel with HTTPS, add that address to public_urls in config.toml, and open the app there.',
            ],
        };
    if (!push && apple && !installed)
        return {
            title: 'Add Paseo to the Home Screen first',
            words: [
                'In Safari, tap Share, then Add to Home Screen. Open Paseo from there, log in, and come back to this page.',
                'This needs iOS or iPadOS 16.4 or newer.',
            ],
        };
    if (!push)
        return {
            title: 'This browser cannot show notifications',
            words: ['Use a current Chrome, Edge, Firefox or Safari, outside of a private window.'],
        };
    if (permission === 'denied')
        return {
            title: 'Notifications are blocked',
            words: [
                'You, or the browser, blocked notifications for this address. Allow them in the settings of the browser, then reload this page.',
            ],
        };
    return undefined;
}
