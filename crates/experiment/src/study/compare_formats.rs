//! The matrices of a study for a paper: as tables of Markdown and of LaTeX (with `booktabs`), and
//! as rows of CSV.

use std::io;

use crate::output::{Cell, Column, RowSink, RowSource, Table, columns};
use crate::report::figures::sign;
use crate::study::matrix::{AnswerMatrix, MatrixCell};
use crate::study::summary::Findings;
use crate::text::in_one_line;

/// Stands for a cell that there is none of.
const NOTHING: &str = "–";
/// Letters that Markdown would read as something else in a cell.
const OF_MARKDOWN: [char; 8] = ['|', '*', '_', '<', '\\', '`', '&', '~'];

/// The matrices as tables of Markdown, each below its heading; the marks are explained below.
pub fn markdown(findings: &Findings) -> String {
    let mut text = String::new();
    for matrix in &findings.matrices {
        text += &format!("**{}**\n\n", markdown_text(&caption(matrix)));
        let row = |label: &str, cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<String> = cells.map(|cell| markdown_text(&cell)).collect();
            format!("| {} | {} |\n", markdown_text(label), cells.join(" | "))
        };
        text += &row("", &mut matrix.columns.iter().cloned());
        text += &format!("|:---|{}\n", "---:|".repeat(matrix.columns.len()));
        for line in &matrix.rows {
            text += &row(&line.label, &mut line.cells.iter().map(|cell| shown(cell.as_ref())));
        }
        text += &format!("\n{}\n\n", legend(matrix));
    }
    text
}

/// The matrices as LaTeX tables, which need the package `booktabs`.
pub fn latex(findings: &Findings) -> String {
    let mut text = String::new();
    for matrix in &findings.matrices {
        let columns = matrix.columns.len();
        text += &format!(
            "\\begin{{table}}\n\\centering\n\\caption{{{}. {}}}\n",
            tex(&caption(matrix)),
            tex(&legend(matrix))
        );
        text += &format!("\\begin{{tabular}}{{l{}}}\n\\toprule\n", "r".repeat(columns));
        let row = |label: &str, cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<String> = cells.map(|cell| tex(&cell)).collect();
            // a bracket or a star would be an argument of the command before the row
            let guard = if label.starts_with(['[', '*']) { "{}" } else { "" };
            format!("{guard}{} & {} \\\\\n", tex(label), cells.join(" & "))
        };
        text += &row("", &mut matrix.columns.iter().cloned());
        text += "\\midrule\n";
        for line in &matrix.rows {
            text += &row(&line.label, &mut line.cells.iter().map(|cell| shown(cell.as_ref())));
        }
        text += "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
    }
    text
}

/// The cells of all matrices, a row each.
#[derive(Clone, Copy, Debug)]
pub struct MatrixCells<'a>(pub &'a Findings);

/// The columns of these.
const COLUMNS: &[Column] = &columns! {
    "metric" Category "", "the metric";
    "role" Category "", "rank of its family of tests: `primary`, `secondary`, `unasked`";
    "rest" Text "", "the settings of further axes";
    "row" Text "", "the compared setting, or the two of them";
    "column" Text "", "the setting across";
    "point" Integer "", "the point";
    "figure" Text "", "the tested change with the half-width of its 95 % interval; the mean, of the baseline";
    "difference" Text "", "the difference in the unit of the metric; empty of the baseline";
    "p" Text "", "the adjusted p-value; empty without a test";
    "n" Count "", "common replications";
    "needed" Count "", "replications that would find the asked change, where nothing is settled";
    "verdict" Category "", "the verdict; empty of the baseline";
};

impl RowSource for MatrixCells<'_> {
    fn table(&self) -> Table {
        Table::new("matrix", "a row a cell of the matrices of a comparison", COLUMNS)
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        for matrix in &self.0.matrices {
            for row in &matrix.rows {
                for (column, cell) in matrix.columns.iter().zip(&row.cells) {
                    let Some(cell) = cell else { continue };
                    sink.row(&[
                        Cell::Text(&matrix.metric),
                        Cell::Word(matrix.role.word()),
                        text(&matrix.rest),
                        text(&row.label),
                        text(column),
                        Cell::Integer(i64::from(cell.point)),
                        text(&cell.figure),
                        text(&cell.difference),
                        text(&cell.p),
                        Cell::Count(cell.n),
                        cell.needed.map(Cell::Count).unwrap_or_default(),
                        cell.verdict.map(|verdict| Cell::Word(verdict.word())).unwrap_or_default(),
                    ])?;
                }
            }
        }
        Ok(())
    }
}

/// A text, or an empty cell.
fn text(text: &str) -> Cell<'_> {
    if text.is_empty() { Cell::Empty } else { Cell::Text(text) }
}

/// The heading of a matrix, with the settings of further axes.
fn caption(matrix: &AnswerMatrix) -> String {
    let heading = matrix.heading.split_whitespace().collect::<Vec<_>>().join(" ");
    if matrix.rest.is_empty() { heading } else { format!("{heading}; {}", matrix.rest) }
}

/// The marks and their meaning.
fn legend(matrix: &AnswerMatrix) -> String {
    let marks: Vec<String> =
        matrix.marks.iter().map(|(mark, meaning)| format!("{} {meaning}", sign(*mark))).collect();
    marks.join(", ")
}

/// Mark, figure, and the replications that would settle it.
fn shown(cell: Option<&MatrixCell>) -> String {
    let Some(cell) = cell else { return NOTHING.to_owned() };
    let needed = cell.needed.map(|n| format!(" ({n})")).unwrap_or_default();
    match cell.mark {
        ' ' => cell.figure.clone(),
        mark => format!("{} {}{needed}", sign(mark), cell.figure),
    }
}

/// A text as a cell of Markdown takes it, in one line.
fn markdown_text(text: &str) -> String {
    let letter = |letter: char| {
        if OF_MARKDOWN.contains(&letter) { format!("\\{letter}") } else { letter.to_string() }
    };
    in_one_line(text).chars().map(letter).collect()
}

/// A text as LaTeX takes it, in one line.
fn tex(text: &str) -> String {
    let letter = |letter: char| match letter {
        '#' | '$' | '%' | '&' | '_' | '{' | '}' => format!("\\{letter}"),
        '\\' => "\\textbackslash{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        '~' => "\\textasciitilde{}".to_owned(),
        '<' => "\\textless{}".to_owned(),
        '>' => "\\textgreater{}".to_owned(),
        '±' => "$\\pm$".to_owned(),
        '▼' => "$\\blacktriangledown$".to_owned(),
        '▲' => "$\\blacktriangle$".to_owned(),
        '·' => "$\\cdot$".to_owned(),
        '○' => "$\\circ$".to_owned(),
        '–' => "--".to_owned(),
        other => other.to_string(),
    };
    in_one_line(text).chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::TableFormat;
    use crate::study::matrix::MatrixRow;
    use crate::study::summary::{Role, Verdict};

    fn findings() -> Findings {
        let baseline = MatrixCell {
            point: 0,
            verdict: None,
            mark: ' ',
            figure: "7.6 ± 1.4 h".to_owned(),
            difference: String::new(),
            p: String::new(),
            n: 5,
            needed: None,
            recorded: String::new(),
        };
        let easy = MatrixCell {
            point: 1,
            verdict: Some(Verdict::NoEvidence),
            mark: '.',
            figure: "-85.7 ± 2.0".to_owned(),
            difference: "-6.5 ± 1.0 h".to_owned(),
            p: "p = 0.061".to_owned(),
            needed: Some(23),
            ..baseline.clone()
        };
        let row = |label: &str, cell| MatrixRow { label: label.to_owned(), cells: vec![Some(cell), None] };
        let matrix = AnswerMatrix {
            metric: "wait-time.mean".to_owned(),
            role: Role::Primary,
            heading: "wait-time.mean against fcfs [%, 95 % interval]   1 test".to_owned(),
            rest: "policy.order = a_b".to_owned(),
            columns: vec!["load 0.6".to_owned(), "load 0.7".to_owned()],
            rows: vec![row("fcfs", baseline), row("easy|1", easy)],
            marks: vec![('.', "not settled (n for 10 %)".to_owned())],
        };
        Findings { random: true, matrices: vec![matrix], ..Findings::default() }
    }

    #[test]
    fn a_matrix_in_markdown() {
        assert_eq!(
            markdown(&findings()),
            "**wait-time.mean against fcfs [%, 95 % interval] 1 test; policy.order = a\\_b**\n\n\
             |  | load 0.6 | load 0.7 |\n|:---|---:|---:|\n| fcfs | 7.6 ± 1.4 h | – |\n\
             | easy\\|1 | · -85.7 ± 2.0 (23) | – |\n\n· not settled (n for 10 %)\n\n"
        );
    }

    #[test]
    fn a_matrix_in_latex() {
        let text = latex(&findings());
        assert!(text.contains("\\begin{tabular}{lrr}\n\\toprule\n &"), "{text}");
        assert!(text.contains("easy|1 & $\\cdot$ -85.7 $\\pm$ 2.0 (23) & -- \\\\\n\\bottomrule"), "{text}");
        assert!(text.contains("[\\%, 95 \\% interval]") && text.contains("a\\_b"), "{text}");
    }

    #[test]
    fn labels_that_a_format_would_read_as_its_own_stay_texts_in_one_line() {
        let mut findings = findings();
        let rows = &mut findings.matrices[0].rows;
        rows[0].label = "[1, 2] {x}".to_owned();
        rows[1].label = "a\nb\\|`c` & ~~d~~".to_owned();
        let text = latex(&findings);
        assert!(text.contains("\\midrule\n{}[1, 2] \\{x\\} & "), "{text}");
        assert_eq!(text.lines().count(), 12, "{text}");
        let text = markdown(&findings);
        assert!(text.contains("\n| a\\\\nb\\\\\\|\\`c\\` \\& \\~\\~d\\~\\~ | "), "{text}");
        assert_eq!(text.lines().count(), 9, "{text}");
    }

    #[test]
    fn the_cells_in_csv() {
        let bytes = TableFormat::Csv.bytes(&MatrixCells(&findings())).expect("into memory");
        let text = String::from_utf8(bytes).expect("text");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "metric,role,rest,row,column,point,figure,difference,p,n,needed,verdict");
        assert_eq!(
            lines[2],
            "wait-time.mean,primary,policy.order = a_b,easy|1,load 0.6,1,-85.7 ± 2.0,-6.5 ± 1.0 h,p = 0.061,5,23,no evidence"
        );
        assert_eq!(lines.len(), 3);
    }
}
