/// The scratch of one plan on one stream, as host and device see it:
///
///     byte 0      ticket of the final stage `last_block`; for `counted`, of 64 bits, the sum of
///     the
///                 blocks' totals above and their number in the lowest kArrivalBits
///     byte 128    one slot per block of the grid
///
/// A slot is a partial (`two_pass`, `last_block`) or, for `polling`, a flagged word per 4 bytes of
/// the partial: value in the low half, flag in the high half, so that one 64-bit access moves both
/// and no fence is needed. The scratch is all zero before the first launch, and each launch leaves
/// the ticket, the word and the flags zero again.
#pragma once

namespace foldtune {

inline constexpr unsigned kScratchHeaderBytes = 128;

/// Enough for the blocks of any grid. What is left is enough for totals of 32 bits, which wrap, and
/// for larger ones that are known to be less.
inline constexpr unsigned kArrivalBits = 24;

/// A slot is this many times the accumulator's size, enough for every final stage.
inline constexpr unsigned kSlotSizes = 2;

}  // namespace foldtune
