//! What wakes the readers of the stream: one bell for stored events, live frames and the end.
//!
//! A thousand readers hear of every event. Were all of them woken at once, whatever else the daemon has to do would
//! stand in line behind them, the next event too. So they are woken by the group, and everything else gets its turn
//! between two groups. Nothing has to be set for that: what happens while the bell goes round is told in the same
//! round to the groups that are still to come and in the next one to the others, together with what comes after it.

use std::mem;
use std::sync::Arc;

use parking_lot::Mutex;
use paseo_store::Seq;
use tokio::sync::{Notify, watch};
use tokio::task::yield_now;

/// Readers that are woken at once.
const GROUP: usize = 32;

/// What there is to know for a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct News {
    /// Stored events up to this can be read.
    pub(crate) reached: Seq,
    /// How many live frames there were.
    pub(crate) live: u64,
    /// The daemon stops.
    pub(crate) over: bool,
}

/// Rings for all readers. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Bell {
    board: Arc<Mutex<Board>>,
    rung: Arc<Notify>,
}

#[derive(Debug)]
struct Board {
    news: News,
    groups: Vec<watch::Sender<News>>,
}

impl Bell {
    /// Makes a bell for a log that has reached a point.
    pub(crate) fn new(reached: Seq) -> Self {
        let news = News { reached, live: 0, over: false };
        let board = Board { news, groups: Vec::new() };
        Self { board: Arc::new(Mutex::new(board)), rung: Arc::default() }
    }

    /// Listens from now on.
    pub(crate) fn listen(&self) -> watch::Receiver<News> {
        let mut board = self.board.lock();
        if let Some(group) = board.groups.iter().find(|group| group.receiver_count() < GROUP) {
            return group.subscribe();
        }
        let (group, receiver) = watch::channel(board.news);
        board.groups.push(group);
        receiver
    }

    /// Tells of stored events.
    pub(crate) fn reached(&self, reached: Seq) {
        self.tell(|news| news.reached = reached);
    }

    /// Tells of a live frame.
    pub(crate) fn live(&self) {
        self.tell(|news| news.live += 1);
    }

    /// Tells that there will be nothing more.
    pub(crate) fn over(&self) {
        self.tell(|news| news.over = true);
    }

    /// Goes round for as long as there is something to tell.
    pub(crate) async fn go_round(self) {
        loop {
            let mut next = 0;
            while let Some((group, news)) = self.group(next) {
                next += 1;
                if group.send_if_modified(|known| mem::replace(known, news) != news) {
                    yield_now().await;
                }
            }
            if self.end_round() {
                return;
            }
            self.rung.notified().await;
        }
    }

    fn tell(&self, change: impl FnOnce(&mut News)) {
        let mut board = self.board.lock();
        let before = board.news;
        change(&mut board.news);
        let heard = board.news.over || !board.groups.is_empty();
        let changed = board.news != before;
        drop(board);
        if changed && heard {
            self.rung.notify_one();
        }
    }

    /// Returns a group, and what it has missed.
    fn group(&self, index: usize) -> Option<(watch::Sender<News>, News)> {
        let board = self.board.lock();
        Some((board.groups.get(index)?.clone(), board.news))
    }

    /// Forgets groups that everybody has left. True when all the others know of the end.
    fn end_round(&self) -> bool {
        let mut board = self.board.lock();
        board.groups.retain(|group| group.receiver_count() > 0);
        board.groups.iter().all(|group| group.borrow().over) && board.news.over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_reader_hears_of_the_newest_and_of_the_end() {
        let bell = Bell::new(1);
        let mut readers: Vec<_> = (0..3 * GROUP).map(|_| bell.listen()).collect();
        let round = tokio::spawn(bell.clone().go_round());
        bell.reached(2);
        for reader in &mut readers {
            assert_eq!(reader.wait_for(|news| news.reached == 2).await.unwrap().live, 0);
        }
        bell.live();
        bell.over();
        for reader in &mut readers {
            let news = *reader.wait_for(|news| news.over).await.unwrap();
            assert_eq!(news, News { reached: 2, live: 1, over: true });
        }
        round.await.unwrap();
        // A late listener knows it from the beginning.
        assert!(bell.listen().borrow().over);
    }

    #[tokio::test]
    async fn others_get_their_turn_between_two_groups() {
        let bell = Bell::new(1);
        let mut readers: Vec<_> = (0..2 * GROUP).map(|_| bell.listen()).collect();
        bell.reached(2);
        let mut round = std::pin::pin!(bell.clone().go_round());
        assert!(futures_util::poll!(round.as_mut()).is_pending());
        assert_eq!(readers.iter().filter(|reader| reader.has_changed().unwrap()).count(), GROUP);
        // What happens meanwhile is told to the second group at once; the first one hears of it in the next round.
        bell.reached(3);
        assert!(futures_util::poll!(round.as_mut()).is_pending());
        let heard: Vec<Seq> =
            [0, GROUP].iter().map(|index| readers[*index].borrow_and_update().reached).collect();
        assert_eq!(heard, [2, 3]);
        assert!(futures_util::poll!(round.as_mut()).is_pending());
        assert!(futures_util::poll!(round.as_mut()).is_pending());
        assert_eq!((readers[0].has_changed().unwrap(), readers[GROUP].has_changed().unwrap()), (true, false));
    }

    #[tokio::test]
    async fn places_of_those_who_left_are_taken_again() {
        let bell = Bell::new(1);
        let mut readers: Vec<_> = (0..2 * GROUP).map(|_| bell.listen()).collect();
        drop(readers.drain(..1));
        let _late = bell.listen();
        assert_eq!(bell.board.lock().groups.len(), 2);
        drop(readers);
        assert!(!bell.end_round());
        assert_eq!(bell.board.lock().groups.len(), 1);
    }
}
