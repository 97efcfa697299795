#include "compiler/Tools/ModuleText.h"

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Isa/IR/Isa.h"
#include "compiler/Layer/IR/Layer.h"
#include "compiler/Tile/IR/Tile.h"
#include "isa/Base/Support/File.h"

#include <fmt/core.h>
#include <llvm/Support/SourceMgr.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/AsmState.h>
#include <mlir/IR/DialectResourceBlobManager.h>
#include <mlir/Parser/Parser.h>

namespace tilerig::compiler {

namespace {

const char *nameOf(Level level) {
  constexpr std::array names = {"graph", "layer", "tile", "isa"};
  return names[static_cast<size_t>(level)];
}

// Formats a diagnostic with its line and column, such as "12:5: message", or with its ONNX node.
std::string show(mlir::Diagnostic &diagnostic) {
  if (const auto at = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
    return fmt::format("{}:{}: {}", at.getLine(), at.getColumn(), diagnostic.str());
  const std::string node = graph::nodeName(diagnostic.getLocation());
  return node.empty() ? diagnostic.str() : fmt::format("node '{}': {}", node, diagnostic.str());
}

// Writes directly to a file. The text of a module is not collected in memory first, because it is twice as
// large as the module's constants.
class FileStream final : public llvm::raw_ostream {
public:
  explicit FileStream(OutputFile &file) : file(file) { SetBufferSize(size_t{1} << 16); }
  ~FileStream() override { flush(); }

  const Status &status() const { return written; }

private:
  void write_impl(const char *text, size_t size) override {
    position += size;
    if (written)
      written = file.write(std::string_view(text, size));
  }
  uint64_t current_pos() const override { return position; }

  OutputFile &file;
  Status written = success();
  uint64_t position = 0;
};

bool isTensor(mlir::Type type) {
  const auto ranked = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return ranked && ranked.hasStaticShape();
}

Status checkFunction(mlir::func::FuncOp function, const std::string &path) {
  if (!llvm::hasSingleElement(function.getBody()))
    return invalidInput(path, "the function 'main' must have a body of exactly one block");
  for (const mlir::Type type :
       llvm::concat<const mlir::Type>(function.getArgumentTypes(), function.getResultTypes()))
    if (!isTensor(type))
      return invalidInput(path,
                          "an argument or a result of the function 'main' is not a tensor of static shape");
  return success();
}

// Checks that the MLIR text contains all bytes of the resource to which a constant refers.
Status checkConstant(mlir::ElementsAttr elements, const std::string &path) {
  const auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(elements);
  if (!resource && !llvm::isa<mlir::DenseElementsAttr>(elements))
    return unsupported(path, "a constant is neither a dense nor a dense_resource attribute");
  const auto type = dtypeOfElement(elements.getShapedType().getElementType());
  if (!type)
    return unsupported(path, "the element type of a constant is not supported");
  if (!resource)
    return success();
  const mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  const std::string name = resource.getRawHandle().getKey().str();
  if (!blob)
    return invalidInput(path, fmt::format("resource '{}' has no data in the text", name));
  const uint64_t wanted = static_cast<uint64_t>(elements.getNumElements()) * sizeBytes(*type);
  if (blob->getData().size() != wanted)
    return invalidInput(path, fmt::format("resource '{}' has {} bytes, but the type of its constant needs {}",
                                          name, blob->getData().size(), wanted));
  return success();
}

Status checkConstants(mlir::ModuleOp module, const std::string &path) {
  Status status = success();
  module.walk([&](mlir::Operation *operation) {
    for (const mlir::NamedAttribute attribute : operation->getAttrs()) {
      const auto elements = llvm::dyn_cast<mlir::ElementsAttr>(attribute.getValue());
      // Skips DenseArrayAttr, which MLIR treats as an elements attribute, but which is not a constant.
      if (!elements || llvm::isa<mlir::DenseArrayAttr>(attribute.getValue()))
        continue;
      if (status = checkConstant(elements, path); !status)
        return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return status;
}

// Checks that the module is one program whose stages on the accelerator contain only operations of this
// level.
Status checkProgram(mlir::ModuleOp module, const std::string &path, Level level) {
  auto programs = module.getOps<isa::ProgramOp>();
  if (programs.empty() || !llvm::hasSingleElement(*module.getBody()))
    return invalidInput(path, "the module does not consist of exactly one isa.program",
                        "check that --from names the level of the text");
  for (isa::StageOp stage : (*programs.begin()).getBody().getOps<isa::StageOp>())
    for (mlir::Operation &operation : stage.getBody().front())
      if (!llvm::isa<isa::HostOp>(operation) && operation.getName().getDialectNamespace() != nameOf(level))
        return invalidInput(path,
                            fmt::format("operation '{}' does not belong to level {}",
                                        operation.getName().getStringRef().str(), nameOf(level)),
                            "check that --from names the level of the text");
  return success();
}

} // namespace

Status writeModule(mlir::ModuleOp module, const std::string &path) {
  TILERIG_TRY(OutputFile file, OutputFile::create(path));
  FileStream stream(file);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(true, false);
  module.print(stream, flags);
  stream << "\n";
  stream.flush();
  TILERIG_CHECK_OK(stream.status());
  return file.commit();
}

Status checkLevel(mlir::ModuleOp module, const std::string &path, Level level) {
  if (level == Level::tile || level == Level::isa)
    return checkProgram(module, path, level);
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!function || !llvm::hasSingleElement(*module.getBody()))
    return invalidInput(path, "the module does not consist of exactly one function, named 'main'");
  TILERIG_CHECK_OK(checkFunction(function, path));
  for (mlir::Operation &operation : function.getBody().front().without_terminator())
    if (operation.getName().getDialectNamespace() != nameOf(level))
      return invalidInput(path,
                          fmt::format("operation '{}' does not belong to level {}",
                                      operation.getName().getStringRef().str(), nameOf(level)),
                          "check that --from names the level of the text, and that --passes reach the level "
                          "of --emit");
  return success();
}

Result<mlir::OwningOpRef<mlir::ModuleOp>> readModule(mlir::MLIRContext &context, const std::string &path,
                                                     Level level) {
  context.loadDialect<graph::GraphDialect, layer::LayerDialect, mlir::func::FuncDialect, isa::IsaDialect,
                      tile::TileDialect>();
  TILERIG_TRY(const MappedFile file, MappedFile::open(path));
  std::string said; // text of MLIR's first diagnostic; later ones are consequences of it
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (said.empty())
      said = show(diagnostic);
  });
  const auto bytes = file.bytes();
  // The file is mapped into memory, but its text is copied, because MLIR's parser needs a zero byte behind
  // the text.
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                                 {reinterpret_cast<const char *>(bytes.data()), bytes.size()}, path),
                             llvm::SMLoc());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(sources, mlir::ParserConfig(&context));
  if (!module)
    return invalidInput(path, said.empty() ? "the file is not an MLIR text" : said);
  TILERIG_CHECK_OK(checkLevel(*module, path, level));
  // Constants of levels tile and isa are not checked again, because MLIR's verifier has checked them.
  if (level == Level::graph || level == Level::layer)
    TILERIG_CHECK_OK(checkConstants(*module, path));
  return module;
}

} // namespace tilerig::compiler
