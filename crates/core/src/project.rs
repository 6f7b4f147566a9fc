//! Projects: the directories in which agents work, as people choose among them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::time::Timestamp;

/// Agents that work, or worked, in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worked<'a> {
    pub directory: &'a str,
    /// How many of them are open.
    pub open: usize,
    /// When the last of them changed.
    pub last: Timestamp,
}

/// A directory in which agents worked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub path: String,
    pub open: usize,
    pub last_used: Timestamp,
}

/// Where a project stands in a list: the one used last comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    last_used: Reverse<i64>,
    path: String,
}

impl Project {
    /// Returns what people call it: the last part of its path.
    pub fn name(&self) -> &str {
        let name = self.path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if name.is_empty() { &self.path } else { name }
    }

    /// Returns where it stands in a list.
    pub fn position(&self) -> Position {
        Position { last_used: Reverse(self.last_used.as_millis()), path: self.path.clone() }
    }
}

impl Position {
    /// Returns it as a cursor.
    pub fn cursor(&self) -> String {
        format!("{}:{}", self.last_used.0, self.path)
    }

    /// Reads a cursor.
    pub fn parse(cursor: &str) -> Option<Self> {
        let (millis, path) = cursor.split_once(':')?;
        Some(Self { last_used: Reverse(millis.parse().ok()?), path: path.to_owned() })
    }
}

/// Returns the projects, the one used last first. `root` says to which project a directory belongs.
pub fn gather<'a>(
    worked: impl IntoIterator<Item = Worked<'a>>,
    root: impl Fn(&str) -> String,
) -> Vec<Project> {
    let mut directories: BTreeMap<&str, (usize, Timestamp)> = BTreeMap::new();
    for Worked { directory, open, last } in worked {
        let known = directories.entry(directory).or_insert((0, last));
        *known = (known.0 + open, known.1.max(last));
    }
    let mut projects: BTreeMap<String, (usize, Timestamp)> = BTreeMap::new();
    for (directory, (open, last)) in directories {
        let known = projects.entry(root(directory)).or_insert((0, last));
        *known = (known.0 + open, known.1.max(last));
    }
    let projects = projects.into_iter().map(|(path, (open, last_used))| Project { path, open, last_used });
    let mut projects: Vec<Project> = projects.collect();
    projects.sort_by_cached_key(Project::position);
    projects
}

/// Returns a page of a list, and where the next one begins.
pub fn page(
    projects: Vec<Project>,
    after: Option<&Position>,
    limit: usize,
) -> (Vec<Project>, Option<Position>) {
    let follows = |project: &Project| after.is_none_or(|after| project.position() > *after);
    let mut rest = projects.into_iter().filter(follows);
    let page: Vec<Project> = rest.by_ref().take(limit).collect();
    let next = page.last().map(Project::position).filter(|_| rest.next().is_some());
    (page, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn worked(directory: &str, open: usize, millis: i64) -> Worked<'_> {
        Worked { directory, open, last: at(millis) }
    }

    /// Everything below `/repo` belongs to it.
    fn root(directory: &str) -> String {
        if directory.starts_with("/repo/") { "/repo".to_owned() } else { directory.to_owned() }
    }

    #[test]
    fn directories_of_one_project_count_together() {
        let found = gather(
            [
                worked("/repo/a", 1, 5),
                worked("/repo", 0, 9),
                worked("/repo/a", 1, 7),
                worked("/other", 3, 8),
                worked("/repository", 0, 1),
            ],
            root,
        );
        let found: Vec<(&str, usize, i64)> =
            found.iter().map(|one| (one.path.as_str(), one.open, one.last_used.as_millis())).collect();
        assert_eq!(found, [("/repo", 2, 9), ("/other", 3, 8), ("/repository", 0, 1)]);
    }

    #[test]
    fn a_project_is_called_by_the_last_part_of_its_path() {
        let name =
            |path: &str| Project { path: path.to_owned(), open: 0, last_used: at(0) }.name().to_owned();
        assert_eq!((name("/home/ann/shop"), name("/home/ann/shop/")), ("shop".into(), "shop".into()));
        assert_eq!(name("/"), "/");
    }

    #[test]
    fn pages_hold_each_project_once() {
        // Two were used in the same moment, and one has a colon in its path.
        let all = gather(
            (0..7).map(|n| worked(["/a", "/b:c", "/d", "/e", "/f", "/g", "/h"][n], 0, n as i64 / 2)),
            root,
        );
        let (mut seen, mut after): (Vec<String>, Option<Position>) = Default::default();
        loop {
            let (page, next) = page(all.clone(), after.as_ref(), 2);
            assert!(page.len() <= 2);
            seen.extend(page.into_iter().map(|project| project.path));
            let Some(next) = next else { break };
            assert_eq!(Position::parse(&next.cursor()), Some(next.clone()));
            after = Some(next);
        }
        assert_eq!(seen, all.iter().map(|project| project.path.clone()).collect::<Vec<_>>());
        assert_eq!(page(all, None, 7).1, None, "a full page is not followed by an empty one");
        assert_eq!((Position::parse("x:/a"), Position::parse("7")), (None, None));
    }
}
