//! Images of media: those of E01 and those of virtual machines and other imagers.

mod disk;
mod ewf;
mod example;
