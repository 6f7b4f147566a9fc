/**
 * Says which answers are news. Requests overtake one another: an answer to an older question comes too late, and so does
 * one that was asked for before a change was made.
 */
export class Order {
    private asked = 0;
    private answered = 0;

    /** Notes that a question goes out. Returns its number. */
    ask(): number {
        return ++this.asked;
    }

    /** Notes an answer. Returns whether it is newer than all that is known. */
    isNews(asked: number): boolean {
        if (asked < this.answered) return false;
        this.answered = asked;
        return true;
    }

    /** Notes that a change was made: whatever was asked before knows nothing of it. */
    changed(): void {
        this.answered = ++this.asked;
    }
}
