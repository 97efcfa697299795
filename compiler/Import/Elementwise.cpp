#include "compiler/Import/Operators.h"

#include <cmath>

namespace tilerig {

namespace {

using namespace graph;
using Value = Result<mlir::Value>;

template <class... Ops>
void addUnary(ImporterTable &table) {
  (table.emplace(std::string_view(Ops::onnxType), one([](const NodeReader &node) -> Value {
                   CHECK_OK(node.needs(1));
                   return node.make<Ops>(node.input(0));
                 })),
   ...);
}

template <class... Ops>
void addBinary(ImporterTable &table) {
  (table.emplace(std::string_view(Ops::onnxType), one([](const NodeReader &node) -> Value {
                   CHECK_OK(node.needs(2));
                   return node.make<Ops>(node.input(0), node.input(1));
                 })),
   ...);
}

// Min and Max take any number of operands: two at a time, from the left.
template <class Op>
Value chain(const NodeReader &node) {
  CHECK_OK(node.needs(1));
  mlir::Value sum = node.input(0);
  for (size_t i = 1; i < node.inputs().size(); ++i) {
    TRY(sum, node.make<Op>(sum, node.input(i)));
  }
  return sum;
}

// One parameter, called alpha.
template <class Op>
Importer withAlpha(float otherwise) {
  return one([otherwise](const NodeReader &node) -> Value {
    CHECK_OK(node.needs(1));
    return node.make<Op>(node.input(0), llvm::APFloat(node.real("alpha", otherwise)));
  });
}

// Bounds were attributes before opset 11: floats, whatever the operand is.
Value clip(const NodeReader &node) {
  CHECK_OK(node.needs(1));
  mlir::Value low = node.input(1), high = node.input(2);
  const auto bound = [&](std::string_view name) -> Value {
    const auto *attribute = node.attribute(name);
    if (!attribute)
      return mlir::Value();
    const mlir::Value value = node.constantValue(Tensor::scalar(attribute->f()));
    return node.elementType(0).isF32() ? Value(value) : node.makeAs<CastOp>({}, node.elementType(0), value);
  };
  if (node.opset() < 11) {
    TRY(low, bound("min"));
    TRY(high, bound("max"));
  }
  return node.make<ClipOp>(node.input(0), low, high);
}

Value castTo(const NodeReader &node) {
  CHECK_OK(node.needs(1));
  const auto type = dtypeOfOnnx(node.integer("to", 0));
  if (!type)
    return node.refuse("attribute 'to' is no element type");
  return node.makeAs<CastOp>(node.shape(0), node.typeOf(*type), node.input(0));
}

} // namespace

void addElementwise(ImporterTable &table) {
  addUnary<AbsOp, AcosOp, AcoshOp, AsinOp, AsinhOp, AtanOp, AtanhOp, CeilOp, CosOp, CoshOp, ErfOp, ExpOp,
           FloorOp, HardSwishOp, LogOp, MishOp, NegOp, NotOp, ReciprocalOp, ReluOp, RoundOp, SigmoidOp,
           SignOp, SinOp, SinhOp, SoftplusOp, SoftsignOp, SqrtOp, TanOp, TanhOp>(table);
  addBinary<AddOp, AndOp, DivOp, EqualOp, GreaterOp, GreaterOrEqualOp, LessOp, LessOrEqualOp, MulOp, OrOp,
            PowOp, PReluOp, SubOp, XorOp>(table);
  table.emplace("Min", one(chain<MinOp>));
  table.emplace("Max", one(chain<MaxOp>));
  table.emplace("Sum", one(chain<AddOp>));
  table.emplace("Mod", one([](const NodeReader &node) -> Value {
                  CHECK_OK(node.needs(2));
                  return node.make<ModOp>(node.input(0), node.input(1), node.integer("fmod", 0) != 0);
                }));
  table.emplace("Where", one([](const NodeReader &node) -> Value {
                  CHECK_OK(node.needs(3));
                  return node.make<WhereOp>(node.input(0), node.input(1), node.input(2));
                }));
  table.emplace("Celu", withAlpha<CeluOp>(1));
  table.emplace("Elu", withAlpha<EluOp>(1));
  table.emplace("LeakyRelu", withAlpha<LeakyReluOp>(0.01f));
  table.emplace("ThresholdedRelu", withAlpha<ThresholdedReluOp>(1));
  table.emplace("Gelu", one([](const NodeReader &node) -> Value {
                  CHECK_OK(node.needs(1));
                  return node.make<GeluOp>(node.input(0), node.text("approximate", "none") == "tanh");
                }));
  table.emplace("HardSigmoid", one([](const NodeReader &node) -> Value {
                  CHECK_OK(node.needs(1));
                  return node.make<HardSigmoidOp>(node.input(0), llvm::APFloat(node.real("alpha", 0.2f)),
                                                  llvm::APFloat(node.real("beta", 0.5f)));
                }));
  table.emplace("Selu", one([](const NodeReader &node) -> Value {
                  CHECK_OK(node.needs(1));
                  return node.make<SeluOp>(node.input(0),
                                           llvm::APFloat(node.real("alpha", 1.67326319217681884765625f)),
                                           llvm::APFloat(node.real("gamma", 1.05070102214813232421875f)));
                }));
  table.emplace("Shrink", one([](const NodeReader &node) -> Value {
                  CHECK_OK(node.needs(1));
                  return node.make<ShrinkOp>(node.input(0), llvm::APFloat(node.real("bias", 0)),
                                             llvm::APFloat(node.real("lambd", 0.5f)));
                }));
  table.emplace("Clip", one(clip));
  table.emplace("Cast", one(castTo));
}

} // namespace tilerig
