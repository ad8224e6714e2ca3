//! Archives, which are no tables: the names of what is in them, and the command that unpacks it.

use std::io::{self, Read, Seek, SeekFrom};

use crate::registry::Problem;
use crate::registry::code;

use super::input::Input;

/// Members that a message names.
const MOST_NAMED: usize = 8;
/// Bytes of a tar archive that are passed over to find their names.
const MOST_PASSED: u64 = 256 << 20;
/// Bytes of a block of tar.
const BLOCK: usize = 512;
/// Longest directory of a zip archive that is read \[bytes\].
const LONGEST_DIRECTORY: u64 = 1 << 20;
/// First bytes of an entry in the directory of a zip archive, and of the end of that.
const ENTRY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// Returns true if a file that begins so is a zip archive.
pub(super) fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(END)
}

/// Returns true if a text that begins so is a tar archive.
pub(super) fn is_tar(head: &[u8]) -> bool {
    head.len() >= BLOCK && &head[257..262] == b"ustar"
}

/// Returns true if a file is an archive.
pub fn is_archive(input: Input<'_>) -> bool {
    let mut first = [0; 4];
    let count = input.bytes().map_or(0, |mut bytes| bytes.read(&mut first).unwrap_or(0));
    is_zip(&first[..count]) || input.head(BLOCK).is_ok_and(|head| is_tar(&head))
}

/// Refuses the zip archive `file`.
pub(super) fn refuse_zip(input: Input<'_>, file: &str) -> Problem {
    let names = input.bytes().ok().and_then(|mut bytes| zip_names(&mut bytes).ok()).unwrap_or_default();
    refused("zip", &names, |member| format!("unzip {file} {member}"))
}

/// Refuses the tar archive `file`.
pub(super) fn refuse_tar(input: Input<'_>, file: &str) -> Problem {
    let names = input.text().ok().map(|mut text| tar_names(&mut text)).unwrap_or_default();
    refused("tar", &names, |member| format!("tar -xf {file} {member}"))
}

fn refused(kind: &str, names: &[String], unpack: impl Fn(&str) -> String) -> Problem {
    let shown = |name: &String| format!("`{}`", name.replace(|letter: char| letter.is_control(), "·"));
    let listed: Vec<String> = names.iter().take(MOST_NAMED).map(shown).collect();
    let more = if names.len() > MOST_NAMED { " and more" } else { "" };
    let holds =
        if listed.is_empty() { String::new() } else { format!(": it holds {}{more}", listed.join(", ")) };
    let is_table = |name: &&String| {
        let name = name.to_ascii_lowercase();
        [".csv", ".tsv", ".json", ".jsonl", ".parquet"].iter().any(|ending| name.contains(ending))
    };
    let member = names.iter().find(is_table).or(names.first());
    let member = member.map_or("MEMBER".to_owned(), |name| shown(name).replace('`', ""));
    let quoted = if member.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte)) {
        member
    } else {
        format!("'{}'", member.replace('\'', "'\\''"))
    };
    Problem::new(code::TABLE, format!("this is a {kind} archive, not a table{holds}"))
        .help(format!("unpack the table and name that as `file`: `{}`", unpack(&quoted)))
}

/// The names of the first files in a tar archive.
fn tar_names(text: &mut impl Read) -> Vec<String> {
    let mut names = Vec::new();
    let mut block = [0; BLOCK];
    let mut passed = 0;
    while names.len() <= MOST_NAMED && passed < MOST_PASSED && text.read_exact(&mut block).is_ok() {
        let word = |from: usize, to: usize| {
            let bytes = block[from..to].split(|&byte| byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        let name = word(0, 100);
        if name.is_empty() {
            break;
        }
        let Ok(size) = u64::from_str_radix(word(124, 136).trim(), 8) else { break };
        // a plain file has the type 0; others are folders, links and long names
        if matches!(block[156], b'0' | 0) {
            let folder = word(345, 500);
            names.push(if folder.is_empty() { name } else { format!("{folder}/{name}") });
        }
        let rest = size.div_ceil(BLOCK as u64).saturating_mul(BLOCK as u64);
        passed = passed.saturating_add(rest).saturating_add(BLOCK as u64);
        if passed >= MOST_PASSED || io::copy(&mut text.take(rest), &mut io::sink()).is_err() {
            break;
        }
    }
    names
}

/// The names of the first files in a zip archive, from the directory at its end.
fn zip_names(bytes: &mut (impl Read + Seek)) -> io::Result<Vec<String>> {
    let length = bytes.seek(SeekFrom::End(0))?;
    let start = length.saturating_sub(LONGEST_DIRECTORY);
    bytes.seek(SeekFrom::Start(start))?;
    let mut end = Vec::new();
    bytes.take(LONGEST_DIRECTORY).read_to_end(&mut end)?;
    let mut names = Vec::new();
    let mut at = 0;
    while names.len() <= MOST_NAMED {
        let Some(found) = end[at..].windows(4).position(|window| window == ENTRY) else { break };
        let entry = &end[at + found..];
        let Some(&[low, high]) = entry.get(28..30) else { break };
        let width = usize::from(u16::from_le_bytes([low, high]));
        let Some(name) = entry.get(46..46 + width) else { break };
        let name = String::from_utf8_lossy(name).into_owned();
        if !name.ends_with('/') {
            names.push(name);
        }
        at += found + 46 + width;
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tar archive of files of nothing but zeros.
    fn tar(files: &[(&str, usize)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, size) in files {
            let mut block = [0; BLOCK];
            block[..name.len()].copy_from_slice(name.as_bytes());
            block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
            block[156] = b'0';
            block[257..262].copy_from_slice(b"ustar");
            bytes.extend_from_slice(&block);
            bytes.resize(bytes.len() + size.div_ceil(BLOCK) * BLOCK, 0);
        }
        bytes.resize(bytes.len() + 2 * BLOCK, 0);
        bytes
    }

    #[test]
    fn archives_are_refused_with_their_members_and_the_command() {
        let bytes = tar(&[("README", 3), ("data/job log.csv", 700)]);
        assert!(is_tar(&bytes));
        let problem = refuse_tar(Input::Bytes(&bytes), "trace.tar.gz");
        assert_eq!(
            problem.message,
            "this is a tar archive, not a table: it holds `README`, `data/job log.csv`"
        );
        let help = problem.help.expect("a command");
        assert!(help.contains("`tar -xf trace.tar.gz 'data/job log.csv'`"), "{help}");
        let mut zip = b"PK\x03\x04".to_vec();
        zip.extend_from_slice(ENTRY);
        zip.extend_from_slice(&[0; 24]);
        zip.extend_from_slice(&[5, 0]);
        zip.extend_from_slice(&[0; 16]);
        zip.extend_from_slice(b"a.csv");
        let problem = refuse_zip(Input::Bytes(&zip), "trace.zip");
        assert!(problem.message.ends_with("it holds `a.csv`"), "{}", problem.message);
        assert!(problem.help.is_some_and(|help| help.contains("`unzip trace.zip a.csv`")));
        // damaged ones are refused as well
        for length in 0..zip.len() {
            assert!(refuse_zip(Input::Bytes(&zip[..length]), "z").message.contains("zip archive"));
        }
        assert!(refuse_tar(Input::Bytes(&bytes[..600]), "t").message.contains("README"));
    }
}
