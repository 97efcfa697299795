#include "compiler/Graph/Import/Operators.h"

namespace tilerig::compiler {

const Importer *findImporter(std::string_view name) {
  static const ImporterTable table = [] {
    ImporterTable all;
    addAttention(all);
    addBlockQuantised(all);
    addElementwise(all);
    addFused(all);
    addFusedAttention(all);
    addGroupQueryAttention(all);
    addIndexing(all);
    addLosses(all);
    addMovement(all);
    addNormalisation(all);
    addProducts(all);
    addQuantised(all);
    addQuantisedRuntime(all);
    addRecurrent(all);
    addReduction(all);
    addRotary(all);
    addSampling(all);
    addShapes(all);
    addTransformerLayers(all);
    addWindows(all);
    return all;
  }();
  const auto entry = table.find(name);
  return entry == table.end() ? nullptr : &entry->second;
}

} // namespace tilerig::compiler
