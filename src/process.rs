//! The process and its machine, for the program, the benchmark and the Python package alone: no job
//! needs them, and they may change at any time.

#[cfg(unix)]
pub use pfh_source::os::end_when_overdue;
#[cfg(windows)]
pub use pfh_source::os::when_console_goes;
pub use pfh_source::os::{
    Confinement, DEVICES, EVICTS, Patient, TypedAnswer, UNPROVEN, ask_hidden, bound_heaps, children_time, confine,
    confinement, cpu_time, evict_range, free_bytes, hand_over, is_in_memory, kernel_text, names_in, processors,
    set_patience, start_apart, sync_filesystem, system_name,
};
pub use pfh_source::{
    end_texts_here_when, end_texts_when, fail_point, is_text_ended, is_text_ended_here, note_panic, notice_end, panics,
};
