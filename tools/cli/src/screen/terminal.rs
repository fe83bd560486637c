//! The terminal while the screen is open: keys arrive one by one, and the former screen comes back
//! at the end, also of a panic.

use crossterm::cursor::{Hide, Show};
use crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use crossterm::execute;
use crossterm::style::ResetColor;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use std::io::{self, Stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

/// Whether the terminal is in the screen's hands.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Held while a frame is drawn, and while a panic gives the terminal back.
static DRAWING: Mutex<()> = Mutex::new(());

/// Draws, unless a panic has given the terminal back.
///
/// # Errors
/// Those of `draw`.
pub fn drawing(draw: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let _held = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
    if is_open() { draw() } else { Ok(()) }
}

/// The keys, as they are typed. They are read on a thread of their own: crossterm reads a terminal
/// that hung up again and again, and never returns.
///
/// # Errors
/// When the system gives no thread.
pub fn keys() -> io::Result<Receiver<KeyEvent>> {
    let (send, keys) = mpsc::channel();
    let read = move || {
        while let Ok(event) = event::read() {
            if let Event::Key(key) = event
                && key.kind != KeyEventKind::Release
                && send.send(key).is_err()
            {
                break;
            }
        }
    };
    std::thread::Builder::new().name("keys".to_owned()).spawn(read)?;
    Ok(keys)
}

/// Whether the terminal still takes output: one that hung up refuses.
///
/// # Errors
/// Why it does not.
pub fn is_there() -> io::Result<()> {
    execute!(io::stdout(), ResetColor)
}

/// Whether the screen is open: nothing else may be printed then.
pub fn is_open() -> bool {
    OPEN.load(Ordering::SeqCst)
}

/// The terminal; given back when it is dropped.
pub struct Screen {
    /// The cells to draw on.
    pub terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When it cannot be set.
    pub fn open() -> io::Result<Screen> {
        // Before the message of a panic, of any thread.
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                // A frame is drawn in less; the thread that draws may be the one that panics.
                for _ in 0..20 {
                    if let Ok(held) = DRAWING.try_lock() {
                        restore();
                        drop(held);
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
                restore();
                before(panic);
            }));
        });
        OPEN.store(true, Ordering::SeqCst);
        let opened = enable_raw_mode().and_then(|()| execute!(io::stdout(), EnterAlternateScreen, Hide));
        let opened = opened.and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        opened.map(|terminal| Screen { terminal }).inspect_err(|_| restore())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back, once.
fn restore() {
    if OPEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}
