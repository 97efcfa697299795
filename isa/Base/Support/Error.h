// Error, the common error type (kind, place, what is wrong, and the remedy), and Result<T>, a value or an
// Error.
//
// No exception crosses a library's boundary and no library prints: a function that may refuse its input
// returns Result<T>, and the command that called it turns the Error into one message and one exit code.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace tilerig {

// Why something was refused. The exit code of every command follows from this kind.
enum class ErrorKind {
  usage,        // the command line is wrong
  invalidInput, // a file, model, program or description breaks the rules of its format
  unsupported,  // well-formed input that this version does not support
  internal,     // a bug of tilerig, which users should report
};

// Why a function gives no result. Each error names the place, what is wrong there, and the remedy.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string place;  // where the fault is: file, node, field, tile or instruction
  std::string what;   // description of what is wrong at the place
  std::string remedy; // what the user can do about the error; may be empty

  // "place: what; remedy", the one-line message for users.
  std::string message() const;
  // The same error with an outer place in front: "outer: place".
  Error within(const std::string &outer) const;
};

// An error in the command line.
Error usageError(std::string place, std::string description, std::string remedy = {});
// An error in a file, model, program or description that breaks the rules of its format.
Error invalidInput(std::string place, std::string description, std::string remedy = {});
// An error for input that is well-formed but that this version does not support.
Error unsupported(std::string place, std::string description, std::string remedy = {});
// An error that only a bug of tilerig can cause.
Error internalError(std::string place, std::string description);

// Exit codes of all commands; 0 and 1 are results, the others come from an Error.
enum class ExitCode { done = 0, mismatch = 1, usage = 2, input = 3, internal = 4 };
// The exit code of a command that ends with an error of the given kind.
ExitCode exitCodeOf(ErrorKind kind);

// A value, or the error that explains why there is none.
template <class T = std::monostate>
class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Error error) : state(std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() & { return std::get<0>(state); }
  const T &operator*() const & { return std::get<0>(state); }
  T &&operator*() && { return std::get<0>(std::move(state)); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }

  // The error; may be called only if there is no value.
  const Error &error() const & { return std::get<1>(state); }
  // Moves the error out; may be called only if there is no value.
  Error &&error() && { return std::get<1>(std::move(state)); }

private:
  std::variant<T, Error> state;
};

// The outcome of a function that returns no value: success, or an error.
using Status = Result<>;
// The status of a function that succeeded: it contains no error.
inline Status success() { return std::monostate{}; }

// Joins two tokens to one without expanding macros in the two tokens. Used by TILERIG_TRY.
#define TILERIG_CONCAT_(a, b) a##b
// Expands macros in two tokens, then joins the two tokens to one. Used by TILERIG_TRY.
#define TILERIG_CONCAT(a, b) TILERIG_CONCAT_(a, b)
// `TILERIG_TRY(auto x, f())`: x is the value of f(). If f() fails, the enclosing function returns f()'s
// error.
#define TILERIG_TRY(declaration, expression)                                                                 \
  auto TILERIG_CONCAT(result_, __LINE__) = (expression);                                                     \
  if (!TILERIG_CONCAT(result_, __LINE__))                                                                    \
    return std::move(TILERIG_CONCAT(result_, __LINE__)).error();                                             \
  declaration = *std::move(TILERIG_CONCAT(result_, __LINE__))
// `TILERIG_CHECK_OK(f())`: if f() fails, the enclosing function returns f()'s error; otherwise it continues.
#define TILERIG_CHECK_OK(expression)                                                                         \
  if (auto &&status_ = (expression); !status_)                                                               \
  return std::move(status_).error()

} // namespace tilerig
