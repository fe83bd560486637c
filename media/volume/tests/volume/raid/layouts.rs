//! Where the kernel puts the chunks of an array: rows of the devices of arrays that md (Linux 6.1,
//! mdadm 4.2) wrote, read off their images by comparing chunks. `7.2` is the array's chunk 7, which
//! counts in the sum of Q by 2 to the power of 2; `P` and `Q` are parity.

/// A layout: name, level, md's number, the rows of each device.
pub struct Layout {
    pub name: &'static str,
    pub level: i32,
    pub number: u32,
    pub rows: &'static str,
}

pub const LAYOUTS: &[Layout] = &[
    Layout { name: "raid10-n2 of 3", level: 10, number: 0x102, rows: "0 0 1 / 1 2 2 / 3 3 4 / 4 5 5" },
    Layout {
        name: "raid10-n2 of 4",
        level: 10,
        number: 0x102,
        rows: "0 0 1 1 / 2 2 3 3 / 4 4 5 5 / 6 6 7 7 / 8 8 9 9",
    },
    Layout {
        name: "raid10-n2 of 5",
        level: 10,
        number: 0x102,
        rows: "0 0 1 1 2 / 2 3 3 4 4 / 5 5 6 6 7 / 7 8 8 9 9 / 10 10 11 11 12 / 12 13 13 14 14",
    },
    Layout {
        name: "raid10-n3 of 4",
        level: 10,
        number: 0x103,
        rows: "0 0 0 1 / 1 1 2 2 / 2 3 3 3 / 4 4 4 5 / 5 5 6 6",
    },
    Layout {
        name: "raid10-n3 of 5",
        level: 10,
        number: 0x103,
        rows: "0 0 0 1 1 / 1 2 2 2 3 / 3 3 4 4 4 / 5 5 5 6 6 / 6 7 7 7 8 / 8 8 9 9 9",
    },
    Layout { name: "raid10-o2 of 2", level: 10, number: 0x10201, rows: "0 1 / 1 0" },
    Layout { name: "raid10-o2 of 4", level: 10, number: 0x10201, rows: "0 1 2 3 / 3 0 1 2 / 4 5 6 7 / 7 4 5 6" },
    Layout {
        name: "raid10-o2 of 5",
        level: 10,
        number: 0x10201,
        rows: "0 1 2 3 4 / 4 0 1 2 3 / 5 6 7 8 9 / 9 5 6 7 8 / 10 11 12 13 14 / 14 10 11 12 13",
    },
    Layout { name: "raid10-o3 of 4", level: 10, number: 0x10301, rows: "0 1 2 3 / 3 0 1 2 / 2 3 0 1" },
    Layout {
        name: "raid10-o3 of 5",
        level: 10,
        number: 0x10301,
        rows: "0 1 2 3 4 / 4 0 1 2 3 / 3 4 0 1 2 / 5 6 7 8 9 / 9 5 6 7 8 / 8 9 5 6 7",
    },
    Layout { name: "raid4 of 4", level: 4, number: 0x0, rows: "0 1 2 P / 3 4 5 P / 6 7 8 P / 9 10 11 P / 12 13 14 P" },
    Layout {
        name: "raid5-left-asymmetric of 4",
        level: 5,
        number: 0x0,
        rows: "0 1 2 P / 3 4 P 5 / 6 P 7 8 / P 9 10 11 / 12 13 14 P",
    },
    Layout {
        name: "raid5-left-symmetric of 4",
        level: 5,
        number: 0x2,
        rows: "0 1 2 P / 4 5 P 3 / 8 P 6 7 / P 9 10 11 / 12 13 14 P",
    },
    Layout {
        name: "raid5-parity-first of 4",
        level: 5,
        number: 0x4,
        rows: "P 0 1 2 / P 3 4 5 / P 6 7 8 / P 9 10 11 / P 12 13 14",
    },
    Layout {
        name: "raid5-parity-last of 4",
        level: 5,
        number: 0x5,
        rows: "0 1 2 P / 3 4 5 P / 6 7 8 P / 9 10 11 P / 12 13 14 P",
    },
    Layout {
        name: "raid5-right-asymmetric of 4",
        level: 5,
        number: 0x1,
        rows: "P 0 1 2 / 3 P 4 5 / 6 7 P 8 / 9 10 11 P / P 12 13 14",
    },
    Layout {
        name: "raid5-right-symmetric of 4",
        level: 5,
        number: 0x3,
        rows: "P 0 1 2 / 5 P 3 4 / 7 8 P 6 / 9 10 11 P / P 12 13 14",
    },
    Layout {
        name: "raid6-ddf-N-continue of 5",
        level: 6,
        number: 0xa,
        rows: "0.0 1.1 2.2 Q P / 4.0 5.1 Q P 3.4 / 8.0 Q P 6.3 7.4 / Q P 9.2 10.3 11.4 / \
               P 12.1 13.2 14.3 Q / 15.0 16.1 17.2 Q P",
    },
    Layout {
        name: "raid6-ddf-N-restart of 5",
        level: 6,
        number: 0x9,
        rows: "0.0 1.1 2.2 P Q / 3.0 4.1 P Q 5.4 / 6.0 P Q 7.3 8.4 / P Q 9.2 10.3 11.4 / \
               Q 12.1 13.2 14.3 P / 15.0 16.1 17.2 P Q",
    },
    Layout {
        name: "raid6-ddf-zero-restart of 5",
        level: 6,
        number: 0x8,
        rows: "P Q 0.2 1.3 2.4 / 3.0 P Q 4.3 5.4 / 6.0 7.1 P Q 8.4 / 9.0 10.1 11.2 P Q / \
               Q 12.1 13.2 14.3 P / P Q 15.2 16.3 17.4",
    },
    Layout {
        name: "raid6-left-asymmetric of 5",
        level: 6,
        number: 0x0,
        rows: "Q 0.0 1.1 2.2 P / 3.0 4.1 5.2 P Q / 6.1 7.2 P Q 8.0 / 9.2 P Q 10.0 11.1 / \
               P Q 12.0 13.1 14.2 / Q 15.0 16.1 17.2 P",
    },
    Layout {
        name: "raid6-left-asymmetric-6 of 5",
        level: 6,
        number: 0x10,
        rows: "0.0 1.1 2.2 P Q / 3.0 4.1 P 5.2 Q / 6.0 P 7.1 8.2 Q / P 9.0 10.1 11.2 Q / \
               12.0 13.1 14.2 P Q / 15.0 16.1 P 17.2 Q",
    },
    Layout {
        name: "raid6-left-symmetric of 5",
        level: 6,
        number: 0x2,
        rows: "Q 0.0 1.1 2.2 P / 3.0 4.1 5.2 P Q / 7.1 8.2 P Q 6.0 / 11.2 P Q 9.0 10.1 / \
               P Q 12.0 13.1 14.2 / Q 15.0 16.1 17.2 P",
    },
    Layout {
        name: "raid6-left-symmetric-6 of 5",
        level: 6,
        number: 0x12,
        rows: "0.0 1.1 2.2 P Q / 4.0 5.1 P 3.2 Q / 8.0 P 6.1 7.2 Q / P 9.0 10.1 11.2 Q / \
               12.0 13.1 14.2 P Q / 16.0 17.1 P 15.2 Q",
    },
    Layout {
        name: "raid6-parity-first of 5",
        level: 6,
        number: 0x4,
        rows: "P Q 0.0 1.1 2.2 / P Q 3.0 4.1 5.2 / P Q 6.0 7.1 8.2 / P Q 9.0 10.1 11.2 / \
               P Q 12.0 13.1 14.2 / P Q 15.0 16.1 17.2",
    },
    Layout {
        name: "raid6-parity-first-6 of 5",
        level: 6,
        number: 0x14,
        rows: "P 0.0 1.1 2.2 Q / P 3.0 4.1 5.2 Q / P 6.0 7.1 8.2 Q / P 9.0 10.1 11.2 Q / \
               P 12.0 13.1 14.2 Q / P 15.0 16.1 17.2 Q",
    },
    Layout {
        name: "raid6-parity-last of 5",
        level: 6,
        number: 0x5,
        rows: "0.0 1.1 2.2 P Q / 3.0 4.1 5.2 P Q / 6.0 7.1 8.2 P Q / 9.0 10.1 11.2 P Q / \
               12.0 13.1 14.2 P Q / 15.0 16.1 17.2 P Q",
    },
    Layout {
        name: "raid6-right-asymmetric of 5",
        level: 6,
        number: 0x1,
        rows: "P Q 0.0 1.1 2.2 / 3.2 P Q 4.0 5.1 / 6.1 7.2 P Q 8.0 / 9.0 10.1 11.2 P Q / \
               Q 12.0 13.1 14.2 P / P Q 15.0 16.1 17.2",
    },
    Layout {
        name: "raid6-right-asymmetric-6 of 5",
        level: 6,
        number: 0x11,
        rows: "P 0.0 1.1 2.2 Q / 3.0 P 4.1 5.2 Q / 6.0 7.1 P 8.2 Q / 9.0 10.1 11.2 P Q / \
               P 12.0 13.1 14.2 Q / 15.0 P 16.1 17.2 Q",
    },
    Layout {
        name: "raid6-right-symmetric of 5",
        level: 6,
        number: 0x3,
        rows: "P Q 0.0 1.1 2.2 / 5.2 P Q 3.0 4.1 / 7.1 8.2 P Q 6.0 / 9.0 10.1 11.2 P Q / \
               Q 12.0 13.1 14.2 P / P Q 15.0 16.1 17.2",
    },
    Layout {
        name: "raid6-right-symmetric-6 of 5",
        level: 6,
        number: 0x13,
        rows: "P 0.0 1.1 2.2 Q / 5.0 P 3.1 4.2 Q / 7.0 8.1 P 6.2 Q / 9.0 10.1 11.2 P Q / \
               P 12.0 13.1 14.2 Q / 17.0 P 15.1 16.2 Q",
    },
    Layout { name: "raid10-f2 of 2", level: 10, number: 0x201, rows: "0 1 / 2 3 / 4 5 / 1 0 / 3 2 / 5 4" },
    Layout {
        name: "raid10-f2 of 3",
        level: 10,
        number: 0x201,
        rows: "0 1 2 / 3 4 5 / 6 7 8 / 9 10 11 / 2 0 1 / 5 3 4 / 8 6 7 / 11 9 10",
    },
    Layout {
        name: "raid10-f2 of 4",
        level: 10,
        number: 0x201,
        rows: "0 1 2 3 / 4 5 6 7 / 8 9 10 11 / 12 13 14 15 / 16 17 18 19 / 3 0 1 2 / 7 4 5 6 / \
            11 8 9 10 / 15 12 13 14 / 19 16 17 18",
    },
    Layout {
        name: "raid10-f2 of 5",
        level: 10,
        number: 0x201,
        rows: "0 1 2 3 4 / 5 6 7 8 9 / 10 11 12 13 14 / 15 16 17 18 19 / 20 21 22 23 24 / \
            25 26 27 28 29 / 4 0 1 2 3 / 9 5 6 7 8 / 14 10 11 12 13 / 19 15 16 17 18 / \
            24 20 21 22 23 / 29 25 26 27 28",
    },
    Layout {
        name: "raid10-f3 of 4",
        level: 10,
        number: 0x301,
        rows: "0 1 2 3 / 4 5 6 7 / 8 9 10 11 / 12 13 14 15 / 16 17 18 19 / 3 0 1 2 / 7 4 5 6 / \
            11 8 9 10 / 15 12 13 14 / 19 16 17 18 / 2 3 0 1 / 6 7 4 5 / 10 11 8 9 / 14 15 12 13 / \
            18 19 16 17",
    },
    Layout {
        name: "raid10-f3 of 5",
        level: 10,
        number: 0x301,
        rows: "0 1 2 3 4 / 5 6 7 8 9 / 10 11 12 13 14 / 15 16 17 18 19 / 20 21 22 23 24 / \
            25 26 27 28 29 / 4 0 1 2 3 / 9 5 6 7 8 / 14 10 11 12 13 / 19 15 16 17 18 / \
            24 20 21 22 23 / 29 25 26 27 28 / 3 4 0 1 2 / 8 9 5 6 7 / 13 14 10 11 12 / \
            18 19 15 16 17 / 23 24 20 21 22 / 28 29 25 26 27",
    },
];
