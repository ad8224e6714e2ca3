//! Tables of runs, to be changed.

/// A table of a run.
pub(crate) struct Table {
    names: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn read(text: &str) -> Self {
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<String>>());
        Table { names: lines.next().unwrap(), rows: lines.collect() }
    }

    pub(crate) fn text(&self) -> String {
        let lines = std::iter::once(&self.names).chain(&self.rows);
        lines.map(|cells| cells.join(",") + "\n").collect()
    }

    pub(crate) fn column(&self, name: &str) -> usize {
        self.names.iter().position(|other| other == name).unwrap_or_else(|| panic!("no column {name}"))
    }

    pub(crate) fn cell(&self, row: usize, name: &str) -> &str {
        &self.rows[row][self.column(name)]
    }

    pub(crate) fn secs(&self, row: usize, name: &str) -> f64 {
        self.cell(row, name).parse().unwrap_or(-1.0)
    }

    pub(crate) fn set(&mut self, row: usize, name: &str, value: &str) {
        let column = self.column(name);
        value.clone_into(&mut self.rows[row][column]);
    }

    /// The first row of this kind.
    pub(crate) fn find(&self, is: impl Fn(usize) -> bool) -> usize {
        (0..self.rows.len()).find(|&row| is(row)).expect("a row of this kind")
    }

    /// The first job that waited for longer than a minute, as the head of the queue.
    pub(crate) fn head(&self) -> usize {
        self.find(|row| self.secs(row, "waiting_time") > 60.0 && self.cell(row, "reason") == "head")
    }

    /// The first job that waited for longer than a minute and started in a reservation of its own.
    pub(crate) fn booked(&self) -> usize {
        self.find(|row| {
            self.secs(row, "waiting_time") > 60.0 && self.cell(row, "reason") == "own-reservation"
        })
    }

    /// The first job that waited for longer than a minute and ran.
    pub(crate) fn waited(&self) -> usize {
        self.find(|row| self.secs(row, "waiting_time") > 60.0 && !self.cell(row, "starting_time").is_empty())
    }

    /// Adds to a time.
    pub(crate) fn add(&mut self, row: usize, name: &str, seconds: f64) {
        let time = format!("{:.9}", self.secs(row, name) + seconds);
        self.set(row, name, &time);
    }

    /// Moves a run of a job in time.
    pub(crate) fn shift(&mut self, row: usize, seconds: f64) {
        ["starting_time", "finish_time"].into_iter().for_each(|name| self.add(row, name, seconds));
    }

    /// Lets a job start when it was submitted.
    pub(crate) fn at_once(&mut self, row: usize) {
        let wait = self.secs(row, "waiting_time");
        self.shift(row, -wait);
    }
}
