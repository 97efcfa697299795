#include "compiler/Graph/Import/Operators.h"

namespace tilerig::compiler {

const Importer *findImporter(std::string_view opType) {
  static const ImporterTable table = [] {
    ImporterTable all;
    addElementwise(all);
    addIndexing(all);
    addMovement(all);
    addNormalisation(all);
    addProducts(all);
    addQuantised(all);
    addRecurrent(all);
    addReduction(all);
    addSampling(all);
    addShapes(all);
    addWindows(all);
    return all;
  }();
  const auto entry = table.find(opType);
  return entry == table.end() ? nullptr : &entry->second;
}

} // namespace tilerig::compiler
