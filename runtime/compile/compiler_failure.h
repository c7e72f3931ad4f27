/// Whose fault it is that a run of the host's compiler failed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace foldtune {

/// The signal that ended a program, of the status that `run_program` gives; empty for a status that
/// the program ended with itself.
std::optional<int> signal_of(int status);

/// Whether a failure is the program's: the compiler says what is wrong with it, or took too long
/// (then there is no status). What says nothing of the program is not: this machine may lack memory
/// or room for a while, and the compiler may crash for that. `log` is what the compiler and its
/// driver wrote in the locale C, without terminal sequences.
bool is_fault_of_program(const std::optional<int>& status, const std::string& log);

/// A log without the colours and links that options of the user may ask for.
std::string without_terminal_sequences(std::string_view log);

/// Whether a compiler may have been short of room there: then what it says is not to be relied on.
bool lacks_room(const std::filesystem::path& folder);

}  // namespace foldtune
