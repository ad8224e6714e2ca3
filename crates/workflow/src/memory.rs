//! The memory that a graph takes in a run.

/// Memory of a task from its description to its record \[bytes\], measured.
const TASK_BYTES: u64 = 640;

/// Memory of an edge, with its transfer \[bytes\], measured.
const EDGE_BYTES: u64 = 170;

/// Memory of a task in a run \[bytes\], with its share of the edges of its graph.
pub fn bytes_of_task(tasks: u64, edges: u64) -> usize {
    let edges = EDGE_BYTES.saturating_mul(edges).div_ceil(tasks.max(1));
    usize::try_from(TASK_BYTES.saturating_add(edges)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_shared_among_the_tasks() {
        assert_eq!([bytes_of_task(0, 0), bytes_of_task(4, 0), bytes_of_task(4, 9)], [640, 640, 1023]);
        assert!(bytes_of_task(1, u64::MAX) as u64 > u64::MAX / 2);
    }
}
