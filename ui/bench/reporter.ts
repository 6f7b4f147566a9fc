import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';
import { MEASURED } from './world';

/** Prints what a scene measured as JSON, and nothing else; what went wrong goes to stderr. */
export default class Printer implements Reporter {
    printsToStdio(): boolean {
        return true;
    }

    onStdErr(chunk: string | Buffer): void {
        process.stderr.write(chunk);
    }

    onTestEnd(_: TestCase, result: TestResult): void {
        for (const { type, description } of result.annotations)
            if (type === MEASURED) process.stdout.write(`${description}\n`);
        for (const { message, stack } of result.errors) process.stderr.write(`${stack ?? message}\n`);
    }

    onError({ message, stack }: { message?: string; stack?: string }): void {
        process.stderr.write(`${stack ?? message}\n`);
    }
}
