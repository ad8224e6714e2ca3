//! What holds for any bytes read as a `slurm.conf`.

use clustersim_jobs::import::slurm::read_conf;

/// Reading is total and repeatable; a site has nodes, and no partition has more than all of them.
pub(crate) fn check(bytes: &[u8]) {
    let whole = read_conf(bytes);
    assert_eq!(format!("{whole:?}"), format!("{:?}", read_conf(bytes)), "read twice, it differs");
    let Ok(site) = whole else { return };
    assert!(site.nodes() > 0 && site.processors() >= site.nodes());
    assert!(site.groups.iter().all(|group| group.nodes > 0 && group.processors > 0));
    for partition in &site.partitions {
        assert!(u64::from(partition.nodes) <= site.nodes() && partition.processors <= site.processors());
    }
}
