//! Apache Parquet: a row for each record, a column for each member.
//!
//! `path` is a text, and null for a name that is not UTF-8; `path_bytes` is the name as it is.
//! Times are nanoseconds in UTC. A member with members of its own (`sets`, `inside`, `other`) is
//! JSON.

use super::row::{Clock, Row};
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use pfh_source::Time;
use std::sync::Arc;

/// Rows of a row group at most.
const ROWS: usize = 65_536;
/// A row group ends after a row with which names and texts reach that many bytes.
const BYTES: usize = 32 << 20;

/// The values of a column.
enum Values {
    Text(fn(&Row) -> Option<&str>),
    Name(fn(&Row) -> Option<&[u8]>, bool),
    Digest(String),
    Number(fn(&Row) -> Option<u64>),
    Time(Clock),
    Flag(fn(&Row) -> bool),
}

struct Column {
    name: String,
    values: Values,
}

/// A table in the making.
pub(super) struct Table {
    columns: Vec<Column>,
    writer: SerializedFileWriter<Vec<u8>>,
    rows: Vec<Row>,
    bytes: usize,
}

fn said(error: ParquetError) -> String {
    error.to_string()
}

/// The columns, in order.
fn columns(algorithms: &[String]) -> Vec<Column> {
    let column = |(name, values): (&str, Values)| Column { name: name.to_owned(), values };
    let before = [
        ("type", Values::Text(|row| Some(&row.kind))),
        ("path", Values::Name(|row| str::from_utf8(&row.path).ok().map(str::as_bytes), true)),
        ("path_bytes", Values::Name(|row| Some(&row.path), false)),
        ("size", Values::Number(|row| row.size)),
        ("offset", Values::Number(|row| row.offset)),
        ("length", Values::Number(|row| row.length)),
    ];
    let after = [
        ("verdict", Values::Text(|row| row.verdict.as_deref())),
        ("sets", Values::Text(|row| row.sets_json.as_deref())),
        ("inode", Values::Number(|row| row.inode)),
        ("deleted", Values::Flag(|row| row.is_deleted)),
        ("inside", Values::Text(|row| row.inside.as_deref())),
        ("notes", Values::Text(|row| row.notes.first().map(String::as_str))),
        ("stage", Values::Text(|row| row.stage.as_deref())),
        ("code", Values::Text(|row| row.code.as_deref())),
        ("cause", Values::Text(|row| row.cause.as_deref())),
        ("id", Values::Text(|row| row.id.as_deref())),
        ("level", Values::Text(|row| row.level.as_deref())),
        ("other", Values::Text(|row| row.other.as_deref())),
    ];
    let times = Clock::ALL.map(|clock| (clock.name(), Values::Time(clock)));
    let digests = algorithms.iter().map(|name| Column { name: name.clone(), values: Values::Digest(name.clone()) });
    let front = before.into_iter().chain(times).map(column);
    front.chain(digests).chain(after.map(column)).collect()
}

/// The schema of these columns.
fn schema(columns: &[Column]) -> Result<TypePtr, ParquetError> {
    let mut fields = Vec::with_capacity(columns.len());
    for column in columns {
        let (physical, logical) = match column.values {
            Values::Text(_) | Values::Digest(_) | Values::Name(_, true) => {
                (Physical::BYTE_ARRAY, Some(LogicalType::String))
            }
            Values::Name(_, false) => (Physical::BYTE_ARRAY, None),
            Values::Number(_) => (Physical::INT64, None),
            Values::Time(_) => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::NANOS))),
            Values::Flag(_) => (Physical::BOOLEAN, None),
        };
        let field = Type::primitive_type_builder(&column.name, physical)
            .with_logical_type(logical)
            .with_repetition(Repetition::OPTIONAL)
            .build()?;
        fields.push(Arc::new(field));
    }
    Type::group_type_builder("pfh").with_fields(fields).build().map(Arc::new)
}

/// A time in nanoseconds; `None` outside of the years 1677 to 2262.
fn nanoseconds(time: Time) -> Option<i64> {
    let nanoseconds = i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds);
    i64::try_from(nanoseconds).ok()
}

impl Table {
    /// An empty table with a column for each of these algorithms.
    ///
    /// # Errors
    /// When two columns would have one name.
    pub(super) fn new(algorithms: &[String]) -> Result<Table, String> {
        let columns = columns(algorithms);
        for (n, column) in columns.iter().enumerate() {
            if columns[..n].iter().any(|other| other.name == column.name) {
                return Err(format!("two columns would be named {:?}", column.name));
            }
        }
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("pfh version {} (build 0)", env!("CARGO_PKG_VERSION")))
            .build();
        let schema = schema(&columns).map_err(said)?;
        let writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).map_err(said)?;
        Ok(Table { columns, writer, rows: Vec::new(), bytes: 0 })
    }

    /// Takes a row, writes a row group if it is full, and gives the number of times that the
    /// format cannot hold.
    pub(super) fn row(&mut self, out: &mut Vec<u8>, mut row: Row) -> Result<u64, String> {
        // One text, as in CSV.
        if row.notes.len() > 1 {
            row.notes = vec![row.notes.join(" ")];
        }
        let beyond = row.times.iter().flatten().filter(|time| nanoseconds(**time).is_none()).count() as u64;
        let texts = [&row.sets_json, &row.inside, &row.cause, &row.other];
        self.bytes += row.path.len() + row.digests.iter().map(|(_, text)| text.len()).sum::<usize>();
        self.bytes += texts.into_iter().flatten().map(String::len).sum::<usize>();
        self.rows.push(row);
        if self.rows.len() == ROWS || self.bytes >= BYTES {
            self.group(out)?;
        }
        Ok(beyond)
    }

    /// Writes the rows in memory as a row group.
    fn group(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        self.grouped().map_err(said)?;
        self.writer.flush().map_err(|error| error.to_string())?;
        out.append(self.writer.inner_mut());
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }

    fn grouped(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let mut columns = self.columns.iter();
        while let (Some(mut writer), Some(column)) = (group.next_column()?, columns.next()) {
            column.write(&mut writer, &self.rows)?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }

    /// Writes the last row group and the footer.
    pub(super) fn finish(mut self, out: &mut Vec<u8>) -> Result<(), String> {
        if !self.rows.is_empty() {
            self.group(out)?;
        }
        out.append(&mut self.writer.into_inner().map_err(said)?);
        Ok(())
    }
}

impl Column {
    fn write(&self, writer: &mut SerializedColumnWriter<'_>, rows: &[Row]) -> Result<(), ParquetError> {
        let bytes = |text: &[u8]| ByteArray::from(text.to_vec());
        match &self.values {
            Values::Text(of) => {
                let values = rows.iter().map(|row| of(row).map(|text| bytes(text.as_bytes())));
                put::<ByteArrayType>(writer, values)
            }
            Values::Name(of, _) => put::<ByteArrayType>(writer, rows.iter().map(|row| of(row).map(bytes))),
            Values::Digest(name) => {
                let values = rows.iter().map(|row| row.digest(name).map(|text| bytes(text.as_bytes())));
                put::<ByteArrayType>(writer, values)
            }
            Values::Number(of) => {
                let values = rows.iter().map(|row| of(row).and_then(|number| i64::try_from(number).ok()));
                put::<Int64Type>(writer, values)
            }
            Values::Time(clock) => {
                let values = rows.iter().map(|row| row.times[*clock as usize].and_then(nanoseconds));
                put::<Int64Type>(writer, values)
            }
            Values::Flag(of) => put::<BoolType>(writer, rows.iter().map(|row| Some(of(row)))),
        }
    }
}

/// Writes the values of a column whose fields may all be null.
fn put<D: parquet::data_type::DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    values: impl Iterator<Item = Option<D::T>>,
) -> Result<(), ParquetError> {
    let (mut there, mut levels) = (Vec::new(), Vec::new());
    for value in values {
        levels.push(i16::from(value.is_some()));
        there.extend(value);
    }
    writer.typed::<D>().write_batch(&there, Some(&levels), None)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    fn row(number: i64) -> Row {
        let time = Time { seconds: number - 3, nanoseconds: 999_999_999 };
        Row {
            kind: "file".to_owned(),
            path: [b"n\xff".to_vec(), number.to_string().into_bytes()].concat(),
            size: Some(number as u64),
            times: [Some(time), None, Some(Time { seconds: 1 << 40, nanoseconds: 0 }), None, None],
            digests: vec![("md5".to_owned(), format!("{number:032x}"))],
            notes: vec!["a".to_owned(), "b".to_owned()],
            ..Row::default()
        }
    }

    /// Row groups end within the rows, and every value is read back.
    #[test]
    fn what_is_written_is_read_back_over_several_row_groups() {
        let count = ROWS as i64 + 10;
        let mut table = Table::new(&["md5".to_owned()]).expect("a table");
        let (mut out, mut beyond) = (Vec::new(), 0);
        for number in 0..count {
            beyond += table.row(&mut out, row(number)).expect("a row");
        }
        // The first group is out before the end: memory does not grow with the rows.
        assert!(out.len() > 100_000);
        table.finish(&mut out).expect("an end");
        assert_eq!(beyond, count as u64, "times beyond 2262");
        let mut file = tempfile::tempfile().expect("a file");
        std::io::Write::write_all(&mut file, &out).expect("written");
        let reader = SerializedFileReader::new(file).expect("a reader");
        assert_eq!(reader.num_row_groups(), 2);
        let mut seen = 0;
        for read in reader.get_row_iter(None).expect("rows") {
            let read = read.expect("a row");
            let of = |name: &str| read.get_column_iter().find(|(n, _)| *n == name).map(|(_, field)| field.clone());
            assert_eq!(of("path"), Some(Field::Null), "not UTF-8");
            assert_eq!(of("path_bytes"), Some(Field::Bytes(ByteArray::from(row(seen).path))));
            assert_eq!(of("size"), Some(Field::Long(seen)));
            assert_eq!(of("md5"), Some(Field::Str(format!("{seen:032x}"))));
            assert_eq!(of("notes"), Some(Field::Str("a b".to_owned())));
            assert_eq!((of("atime"), of("ctime")), (Some(Field::Null), Some(Field::Null)));
            let nanoseconds = (seen - 3) * 1_000_000_000 + 999_999_999;
            assert_eq!(of("mtime"), Some(Field::Long(nanoseconds)));
            seen += 1;
        }
        assert_eq!(seen, count);
    }

    #[test]
    fn two_columns_of_one_name_are_refused() {
        assert!(Table::new(&["size".to_owned()]).is_err());
    }
}
