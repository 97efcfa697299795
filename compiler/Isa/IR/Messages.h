// Converts Protobuf messages to MLIR dictionary attributes and back. Keys are field names, fields at their
// defaults are omitted, enumerators become strings, integers have 64 bits, and maps become dictionaries.
#pragma once

#include "isa/Base/Support/Error.h"

#include <google/protobuf/message.h>
#include <mlir/IR/BuiltinAttributes.h>

namespace tilerig::compiler::isa {

mlir::DictionaryAttr dictionaryOf(mlir::MLIRContext *context, const google::protobuf::Message &message);
// Refuses unknown field names and values of the wrong kind. Errors name the field.
Status readDictionary(mlir::DictionaryAttr dictionary, google::protobuf::Message &message);

} // namespace tilerig::compiler::isa
