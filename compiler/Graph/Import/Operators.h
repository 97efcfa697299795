// Table of the functions that import ONNX operators as operations; each family of operators has its own file.
#pragma once

#include "compiler/Graph/Import/NodeReader.h"

#include <functional>
#include <string_view>
#include <unordered_map>

namespace tilerig::compiler {

using ImportedValues = Result<Values>;
using Importer = std::function<ImportedValues(const NodeReader &)>;
// Importers of operators by their names: op_type for ONNX's own domain, else domain and op_type, joined by a
// full stop, as operatorName() in Opaque.h returns them.
using ImporterTable = std::unordered_map<std::string_view, Importer>;

// The importer of an operator; null if there is none.
const Importer *findImporter(std::string_view name);

// Functions that add importers to the table, one function for each family of operators.
void addAttention(ImporterTable &table);
void addBlockQuantised(ImporterTable &table);
void addElementwise(ImporterTable &table);
void addFused(ImporterTable &table);
void addFusedAttention(ImporterTable &table);
void addGroupQueryAttention(ImporterTable &table);
void addIndexing(ImporterTable &table);
void addLosses(ImporterTable &table);
void addMovement(ImporterTable &table);
void addNormalisation(ImporterTable &table);
void addProducts(ImporterTable &table);
void addQuantised(ImporterTable &table);
void addQuantisedRuntime(ImporterTable &table);
void addRecurrent(ImporterTable &table);
void addReduction(ImporterTable &table);
void addRotary(ImporterTable &table);
void addSampling(ImporterTable &table);
void addShapes(ImporterTable &table);
void addTransformerLayers(ImporterTable &table);
void addWindows(ImporterTable &table);

// Wraps an importer that returns a single value: most operators have one result.
template <class F>
Importer one(F import) {
  return [import](const NodeReader &node) -> ImportedValues {
    TILERIG_TRY(const mlir::Value value, import(node));
    return Values{value};
  };
}

} // namespace tilerig::compiler
