//! Results as data, and the sinks that write them.

pub use clustersim_experiment::output::{
    Arrangement, Arrow, Cell, CellType, Column, Conditions, Counter, Drawing, Drawn, DrawnEdge, DrawnNode,
    EdgeLine, EdgeText, ExplainedSpan, Explanation, Figure, FileLine, FileWriter, Files, Label, LaneCause,
    LaneSink, LaneSource, LaneTotal, Lanes, LevelOverTime, ListedRows, NamedSpan, Names, NodeShape, On,
    Paragraph, Pictures, Row, RowSink, RowSource, RowSpans, Rows, Series, Shown, ShownList, ShownStrip,
    Spans, Table, TableFormat, Value, push_spans, row, rows,
};
