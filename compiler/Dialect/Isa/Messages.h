// Protobuf messages as dictionaries: fields by their names there, those at their defaults left out. Names of
// enumerators are strings, integers 64 bits, maps dictionaries.
#pragma once

#include "isa/Support/Error.h"

#include <google/protobuf/message.h>
#include <mlir/IR/BuiltinAttributes.h>

namespace tilerig::isa {

mlir::DictionaryAttr dictionaryOf(mlir::MLIRContext *context, const google::protobuf::Message &message);
// Refuses names that the message does not have, and values of another kind. Errors name the field.
Status readDictionary(mlir::DictionaryAttr dictionary, google::protobuf::Message &message);

} // namespace tilerig::isa
