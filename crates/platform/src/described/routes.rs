//! Routes and spokes: names of points and links, each looked up where it stands.

use crate::registry::{Complaint, Node, Params, code, suggestion};
use crate::sharing::LinkId;
use crate::{NetPoint, Route, Spoke};

use super::description::{TableReader, refused};

impl<'a> TableReader<'a> {
    /// The link of a name; nothing to complain of where it is one that was described wrongly.
    pub(super) fn link_named(&self, node: &Node, before: usize) -> Result<LinkId, Option<Complaint>> {
        let name = node.as_text().unwrap_or_default();
        let so_far = self.builder.so_far();
        if let Some(link) = so_far.link_named(name) {
            return Ok(link);
        }
        let stem = name.strip_suffix("_UP").or(name.strip_suffix("_DOWN")).unwrap_or(name);
        if [name, stem].iter().any(|name| matches!(self.links.get(*name), Some(None))) {
            return Err(None);
        }
        let complaint = |message: String| Complaint::new(code::UNKNOWN_NAME, message, node.span);
        if so_far.link_named(&format!("{name}_UP")).is_some() {
            let complaint = complaint(format!("`{name}` is a link for each direction"));
            return Err(Some(complaint.help(format!("write `{name}_UP` or `{name}_DOWN`"))));
        }
        let known = || (0..so_far.links().len()).map(|link| so_far.link_name(LinkId::new(link as u32)));
        let complaint = complaint(format!("there is no link `{name}`")).label("not described");
        Err(Some(complaint.help_while_few(before, || {
            suggestion(name, known().collect::<Vec<_>>().iter().map(|known| &**known))
        })))
    }

    fn links_of(
        &self,
        table: &Params<'_>,
        key: &str,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Vec<LinkId>> {
        let mut links = Some(Vec::new());
        for node in table.items(key) {
            match (self.link_named(node, self.complaints.len() + complaints.len()), &mut links) {
                (Ok(link), Some(links)) => links.push(link),
                (Err(complaint), _) => {
                    complaints.extend(complaint);
                    links = None;
                }
                _ => {}
            }
        }
        links
    }

    /// The host, router or zone that a key names.
    fn point(&self, table: &Params<'_>, key: &str, complaints: &mut Vec<Complaint>) -> Option<NetPoint> {
        let name = table.tree().get(key).and_then(Node::as_text)?;
        let point = self.point_named(name);
        let is_invalid = self.invalid.contains(name)
            || name.match_indices('-').any(|(hyphen, _)| self.invalid.contains(&name[..hyphen]));
        if point.is_none() && !is_invalid {
            let message = format!("there is no host, router or zone `{name}`");
            let complaint =
                Complaint::new(code::UNKNOWN_NAME, message, table.span(key)).label("not described");
            let help = || suggestion(name, self.point_names().iter().map(String::as_str));
            complaints.push(complaint.help_while_few(self.complaints.len() + complaints.len(), help));
        }
        point
    }

    /// The gateway of a zone: the one that is named, or else the router of a cluster.
    fn gateway(
        &self,
        table: &Params<'_>,
        key: &str,
        of: Option<NetPoint>,
        complaints: &mut Vec<Complaint>,
    ) -> Option<NetPoint> {
        if table.has(key) {
            return self.point(table, key, complaints);
        }
        let Some(NetPoint::Zone(zone)) = of else { return None };
        let router = format!("{}-router", self.builder.so_far().zone_name(zone));
        self.builder.point_named(&router)
    }

    pub(super) fn route(&mut self, table: &Params<'a>) -> Result<(), Vec<Complaint>> {
        let mut complaints = Vec::new();
        let (from, to) =
            (self.point(table, "from", &mut complaints), self.point(table, "to", &mut complaints));
        let links = self.links_of(table, "links", &mut complaints);
        let from_gateway = self.gateway(table, "from-gateway", from, &mut complaints);
        let to_gateway = self.gateway(table, "to-gateway", to, &mut complaints);
        let (Some(from), Some(to), Some(links), true) = (from, to, links, complaints.is_empty()) else {
            return Err(complaints);
        };
        let route = Route { from_gateway, to_gateway, ..Route::new(from, to).over(links) };
        let symmetric = table.read::<bool>("symmetric")?;
        let route = if symmetric { route } else { route.one_way() };
        let so_far = self.builder.so_far();
        let zone = so_far.zone_of(from);
        let is_one = zone == so_far.zone_of(to);
        let put = if is_one { self.builder.route_in(zone, &route) } else { self.builder.bypass(&route) };
        Ok(put.map_err(|why| refused(table, "from", &why))?)
    }

    pub(super) fn spoke(&mut self, table: &Params<'a>) -> Result<(), Vec<Complaint>> {
        let mut complaints = Vec::new();
        let of = self.point(table, "of", &mut complaints);
        let up = self.links_of(table, "up", &mut complaints);
        let back =
            |up: &Vec<LinkId>| up.iter().rev().map(|&link| self.builder.twin(link).unwrap_or(link)).collect();
        let down = if table.has("down") {
            self.links_of(table, "down", &mut complaints)
        } else {
            up.as_ref().map(back)
        };
        let gateway = self.gateway(table, "gateway", of, &mut complaints);
        let (Some(of), Some(up), Some(down), true) = (of, up, down, complaints.is_empty()) else {
            return Err(complaints);
        };
        let spoke = Spoke { up, down, loopback: Vec::new(), gateway };
        Ok(self.builder.spoke(of, spoke).map_err(|why| refused(table, "of", &why))?)
    }
}
