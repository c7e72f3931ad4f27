#include "runtime/api/failure.h"

#include <new>

#include "cache/store_error.h"
#include "foldtune/error.h"
#include "runtime/device/compiler.h"

namespace foldtune {

Failure describe_current_exception() {
  using Kind = Failure::Kind;
  try {
    throw;
  } catch (const InvalidArgument& error) {
    return {Kind::invalid_argument, error.what()};
  } catch (const Unavailable& error) {
    return {Kind::unavailable, error.what()};
  } catch (const MissingToolkit& error) {
    return {Kind::missing_toolkit, error.what()};
  } catch (const CompileError& error) {
    return {Kind::compile, error.what()};
  } catch (const OutOfMemory& error) {
    return {Kind::out_of_memory, error.what()};
  } catch (const DeviceError& error) {
    return {Kind::device, error.what()};
  } catch (const DatabaseError& error) {
    return {Kind::database, error.what()};
  } catch (const StoreError& error) {
    return {Kind::database, error.what()};
  } catch (const std::bad_alloc&) {
    return {Kind::out_of_memory, "this machine's memory is not enough for that"};
  } catch (const std::exception& error) {
    return {Kind::other, error.what()};
  } catch (...) {
    return {Kind::other, "an exception of an unknown type"};
  }
}

void throw_failure(const Failure& failure) {
  switch (failure.kind) {
    case Failure::Kind::invalid_argument:
      throw InvalidArgument(failure.text);
    case Failure::Kind::unavailable:
      throw Unavailable(failure.text);
    case Failure::Kind::missing_toolkit:
      throw MissingToolkit(failure.text);
    case Failure::Kind::compile:
      throw CompileError(failure.text);
    case Failure::Kind::out_of_memory:
      throw OutOfMemory(failure.text);
    case Failure::Kind::database:
      throw DatabaseError(failure.text);
    case Failure::Kind::device:
    case Failure::Kind::other:
      break;
  }
  throw DeviceError(failure.text);
}

}  // namespace foldtune
