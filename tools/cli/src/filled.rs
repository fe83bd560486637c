//! The texts below options, wrapped once: paragraphs are lines that the screen or roff wraps, lists
//! are laid out within 80 columns.

/// Columns of a laid out line: a man page indents by seven.
const WIDTH: usize = 73;

/// Columns up to which an item's remark stands beside it.
const BESIDE: usize = 30;

/// Whether a line is an item of a list: indented, or with a gap of three columns.
pub fn is_item(line: &str) -> bool {
    line.starts_with(' ') || line.contains("   ")
}

/// A text whose paragraphs are one line each and whose lists fit 80 columns. In a list each item is
/// a line, its remark follows two spaces or more, and lines with a deeper indent continue it.
pub fn filled(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let (mut open, mut indent) = (Open::Nothing, 0);
    for line in text.lines() {
        let own = line.len() - line.trim_start().len();
        let after = match line {
            "" => Open::Nothing,
            line if is_item(line) => Open::Item,
            _ => Open::Paragraph,
        };
        let goes_on = match (&open, &after) {
            (Open::Paragraph, Open::Paragraph) => true,
            (Open::Item, Open::Item) => own > indent + 2,
            _ => false,
        };
        match lines.last_mut() {
            Some(last) if goes_on => *last += &format!(" {}", line.trim_start()),
            _ => {
                lines.push(line.to_owned());
                indent = own;
            }
        }
        open = after;
    }
    lines
        .iter()
        .flat_map(|line| if is_item(line) { laid_out(line) } else { vec![line.clone()] })
        .collect::<Vec<_>>()
        .join("\n")
}

/// The text that the next line may continue.
enum Open {
    Nothing,
    Paragraph,
    Item,
}

/// An item in lines of at most [`WIDTH`] columns, if it has spaces to break at.
fn laid_out(line: &str) -> Vec<String> {
    if line.chars().count() <= WIDTH {
        return vec![line.to_owned()];
    }
    let indent = line.len() - line.trim_start().len();
    let Some(gap) = line[indent..].find("  ").map(|at| at + indent) else { return vec![line.to_owned()] };
    let remark = line[gap..].trim_start();
    let mut column = line[..line.len() - remark.len()].chars().count();
    let mut found = Vec::new();
    let mut current = line[..line.len() - remark.len()].to_owned();
    if column > BESIDE {
        found.push(current.trim_end().to_owned());
        column = indent + 4;
        current = " ".repeat(column);
    }
    let mut is_empty = true;
    for word in remark.split_whitespace() {
        if !is_empty && current.chars().count() + 1 + word.chars().count() > WIDTH {
            found.push(std::mem::replace(&mut current, " ".repeat(column)));
            is_empty = true;
        }
        current += if is_empty { "" } else { " " };
        current += word;
        is_empty = false;
    }
    found.push(current);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_joined_and_lists_laid_out() {
        let remark = "a remark that is far too long for one line, so that it stands in two or more";
        let text = format!("One\ntwo.\n\nThree:\n  a=    {remark}\n        of them\n  b     short\nfour\nfive");
        let expected = "One two.\n\nThree:\n  a=    a remark that is far too long for one line, so that it stands in\n        \
                        two or more of them\n  b     short\nfour five";
        assert_eq!(filled(&text), expected);
        let long = format!("  pfh audit ask http://HOST:8417 catalogue --together     {remark}");
        let lines = laid_out(&long);
        assert_eq!(lines[0], "  pfh audit ask http://HOST:8417 catalogue --together");
        assert!(
            lines[1..].iter().all(|line| line.starts_with("      a") || line.starts_with("      ")) && lines.len() == 3
        );
        assert!(lines.iter().all(|line| line.len() <= WIDTH));
    }
}
