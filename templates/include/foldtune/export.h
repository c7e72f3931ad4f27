/// Which names libfoldtune shows. Read by C, too.
#pragma once

#if defined(__GNUC__)
/// Marks what programs see: the library is built with hidden visibility.
#define FOLDTUNE_API __attribute__((visibility("default")))
/// Marks what they do not see, within a class that they do.
#define FOLDTUNE_LOCAL __attribute__((visibility("hidden")))
#else
#define FOLDTUNE_API
#define FOLDTUNE_LOCAL
#endif
