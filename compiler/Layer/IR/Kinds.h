// Prints and parses enumerations of the instruction set in the text of operations, by their enumerator names.
// The functions are in the namespace of the enumerations, where argument-dependent lookup finds operator<<.
#pragma once

#include "isa/Instructions/Types.h"

#include <algorithm>
#include <llvm/ADT/StringRef.h>
#include <mlir/IR/DialectImplementation.h>
#include <optional>

namespace tilerig {

template <NamedEnum Kind>
llvm::StringRef nameOfKind(Kind kind) {
  return EnumNames<Kind>::values[static_cast<size_t>(kind)];
}

template <NamedEnum Kind>
std::optional<Kind> kindNamed(llvm::StringRef name) {
  const auto &names = EnumNames<Kind>::values;
  const auto match = std::ranges::find(names, std::string_view(name));
  if (match == names.end())
    return {};
  return static_cast<Kind>(match - names.begin());
}

template <NamedEnum Kind>
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, Kind kind) {
  printer << nameOfKind(kind);
  return printer;
}

} // namespace tilerig

template <tilerig::NamedEnum Kind>
struct mlir::FieldParser<Kind, Kind> {
  static FailureOr<Kind> parse(AsmParser &parser) {
    const llvm::SMLoc at = parser.getCurrentLocation();
    llvm::StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    if (const auto kind = tilerig::kindNamed<Kind>(name))
      return *kind;
    return parser.emitError(at) << "'" << name
                                << "' is not a value that the instruction set defines for this field";
  }
};
