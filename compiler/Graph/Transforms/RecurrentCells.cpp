#include "compiler/Graph/Transforms/RecurrentCells.h"

namespace tilerig::compiler {

namespace {

using Gates = llvm::SmallVector<int64_t>; // gates by their numbers in ONNX, in the order wanted here

constexpr int64_t gateAxis = 1;

// Scales `count` rows from `first` on; axes directions, rows, …
mlir::Value withRowsScaled(mlir::Value rows, int64_t first, int64_t count, double factor,
                           ElementBuilder &to) {
  const int64_t end = first + count, size = graph::shapeOf(rows)[1];
  llvm::SmallVector<mlir::Value> parts;
  if (first > 0)
    parts.push_back(to.slice(rows, 1, 0, first));
  parts.push_back(to.scale(to.slice(rows, 1, first, count), factor));
  if (end < size)
    parts.push_back(to.slice(rows, 1, end, size - end));
  return to.concat(parts, 1);
}

// Scales the weights and biases of the first `count` of `numGates` gates, by a power of two or its negative, so that
// no bit is lost.
Recurrence withGatesScaled(Recurrence layer, int64_t numGates, int64_t count, double factor,
                           ElementBuilder &to) {
  const int64_t rows = count * layer.hidden;
  layer.weights = withRowsScaled(layer.weights, 0, rows, factor, to);
  layer.recurrence = withRowsScaled(layer.recurrence, 0, rows, factor, to);
  if (layer.bias) {
    layer.bias = withRowsScaled(layer.bias, 0, rows, factor, to);
    layer.bias = withRowsScaled(layer.bias, numGates * layer.hidden, rows, factor, to);
  }
  return layer;
}

// What the three kinds of cells have in common.
class PlainCell : public Cell {
public:
  // `numGates` counts the gates that the weights have.
  PlainCell(const Recurrence &layer, ElementBuilder &to, int64_t numGates)
      : layer(layer), to(to), numGates(numGates) {}

protected:
  // The weights of some gates: axes directions, gates, hidden units, depth.
  mlir::Value byGate(mlir::Value weights, const Gates &gates) {
    const int64_t depth = graph::shapeOf(weights)[2];
    return pick(to.reshape(weights, {layer.directions(), numGates, layer.hidden, depth}), gates);
  }
  // The product of inputs and weights, which have the axes directions, gates, hidden units, features.
  mlir::Value inputProduct(mlir::Value inputs, mlir::Value weights) {
    return inputsAreColumns() ? to.product(weights, inputs)
                              : to.product(inputs, to.transpose(weights, {0, 1, 3, 2}));
  }
  mlir::Value inputProduct(mlir::Value inputs, const Gates &gates) {
    return inputProduct(inputs, byGate(layer.weights, gates));
  }
  // The weights of the recurrence of some gates, for addProduct().
  mlir::Value factor(const Gates &gates) {
    const mlir::Value weights = byGate(layer.recurrence, gates);
    return layer.hasColumns() ? weights : to.transpose(weights, {0, 1, 3, 2});
  }
  // The biases of the input products (`which` is 0) or of the recurrent products (1) of some gates, to be added to
  // input products.
  mlir::Value bias(int64_t which, const Gates &gates) {
    const mlir::Value half =
        to.slice(layer.bias, 1, which * numGates * layer.hidden, numGates * layer.hidden);
    ElementBuilder::Dims shape = {layer.directions(), numGates, 1, layer.hidden};
    if (inputsAreColumns())
      std::swap(shape[2], shape[3]);
    return pick(to.reshape(half, shape), gates);
  }
  bool inputsAreColumns() const { return layer.isStepwise && layer.hasColumns(); }
  mlir::Value sumOfBiases(const Gates &gates) { return to.add(bias(0, gates), bias(1, gates)); }

  mlir::Value gate(mlir::Value gates, int64_t first, int64_t count = 1) {
    return to.slice(gates, gateAxis, first, count);
  }
  mlir::Value pick(mlir::Value gates, const Gates &wanted) {
    llvm::SmallVector<mlir::Value> parts;
    for (size_t i = 0; i < wanted.size();) {
      size_t end = i + 1; // gates with consecutive numbers are one slice
      while (end < wanted.size() && wanted[end] == wanted[end - 1] + 1)
        ++end;
      parts.push_back(gate(gates, wanted[i], static_cast<int64_t>(end - i)));
      i = end;
    }
    return to.concat(parts, gateAxis);
  }

  // Applies activation function `index` of each direction.
  mlir::Value apply(size_t index, mlir::Value value) {
    const size_t perDirection = layer.functions.size() / static_cast<size_t>(layer.directions());
    const CellFunction &first = layer.functions[index];
    if (layer.directions() == 1 || layer.functions[perDirection + index] == first)
      return compiler::apply(first, value, to);
    const mlir::Value both[] = {
        compiler::apply(first, to.slice(value, 0, 0, 1), to),
        compiler::apply(layer.functions[perDirection + index], to.slice(value, 0, 1, 1), to)};
    return to.concat(both, 0);
  }
  // Clips the sums of gates, if the layer does so, and applies an activation function.
  mlir::Value activate(size_t index, mlir::Value sums) {
    return apply(index, layer.clip > 0 ? to.clip(sums, -layer.clip, layer.clip) : sums);
  }

  // The sum of `products` and of the product of a state and weights.
  mlir::Value addProduct(mlir::Value products, mlir::Value state, mlir::Value factor) {
    if (!state)
      return products;
    return to.add(layer.hasColumns() ? to.product(factor, state) : to.product(state, factor), products);
  }

  // The sum over the gates.
  mlir::Value sumOf(mlir::Value gates) {
    return to.make<graph::ReduceSumOp>(gates, llvm::ArrayRef<int64_t>(gateAxis), /*keepdims=*/true);
  }

  const Recurrence layer;
  ElementBuilder &to;
  int64_t numGates;
};

// h' = f(x W + h R + Wb + Rb)
class RnnCell : public PlainCell {
public:
  RnnCell(const Recurrence &layer, ElementBuilder &to) : PlainCell(layer, to, 1), recurrence(factor({0})) {}

  mlir::Value inputProducts(mlir::Value inputs) override {
    const mlir::Value products = inputProduct(inputs, Gates{0});
    return layer.bias ? to.add(products, sumOfBiases({0})) : products;
  }
  CellState step(const CellState &before, mlir::Value products) override {
    return {activate(0, addProduct(products, before.hidden, recurrence)), {}};
  }

private:
  mlir::Value recurrence;
};

// z, r = f(x W + h R + Wb + Rb), h' = (1 - z) n + z h, where n = g(x W + (r h) R + Wb + Rb), or
// g(x W + Wb + r (h R + Rb)) with linearBeforeReset.
//
// If f is the sigmoid, the weights and biases of z are negated, so that its gate is k = 1 - z. Then h' is the sum of
// k n, k (-h) and h: one multiplication of k by two operands side by side, and one sum. While the matrix engine
// multiplies the state of the next step, the vector engine has time to compute -h. With other functions,
// h' = n + z (h - n), three operations.
//
// With linearBeforeReset, one product has all gates, and its addend has the input products of z and r, and Rb of
// n. So inputProducts() then has four gates: z, r, Rb of n, and x W + Wb of n. The weights of the third are zeros:
// this adds to the weights, but all four gates are one product and one sum, which the tiles need not rearrange.
class GruCell : public PlainCell {
public:
  GruCell(const Recurrence &layer, ElementBuilder &to)
      : PlainCell(hasSigmoids(layer) ? withUpdateGateNegated(layer, to) : layer, to, 3),
        hasComplement(hasSigmoids(layer)) {
    recurrence = factor(layer.linearBeforeReset ? Gates{0, 1, 2} : Gates{0, 1});
    if (!layer.linearBeforeReset)
      candidate = factor({2});
  }

  mlir::Value inputProducts(mlir::Value inputs) override {
    if (!layer.linearBeforeReset) {
      const mlir::Value products = inputProduct(inputs, Gates{0, 1, 2});
      return layer.bias ? to.add(products, sumOfBiases({0, 1, 2})) : products;
    }
    const mlir::Value ofUpdateAndReset = byGate(layer.weights, {0, 1}),
                      ofCandidate = byGate(layer.weights, {2}),
                      zeros = to.scale(ofCandidate, 0); // constant if they are, of any size
    const mlir::Value weights[] = {ofUpdateAndReset, zeros, ofCandidate};
    const mlir::Value products = inputProduct(inputs, to.concat(weights, gateAxis));
    if (!layer.bias)
      return products;
    const mlir::Value biases[] = {sumOfBiases({0, 1}), bias(1, {2}), bias(0, {2})};
    return to.add(products, to.concat(biases, gateAxis));
  }

  CellState step(const CellState &before, mlir::Value products) override {
    const mlir::Value h = before.hidden;
    const bool isJoint = layer.linearBeforeReset;
    const mlir::Value negated = hasComplement && h ? to.make<graph::NegOp>(h) : mlir::Value();
    const mlir::Value sums = addProduct(gate(products, 0, isJoint ? 3 : 2), h, recurrence),
                      zr = activate(0, gate(sums, 0, 2)), z = gate(zr, 0), r = gate(zr, 1),
                      fromInput = gate(products, isJoint ? 3 : 2);
    const mlir::Value n = activate(1, isJoint ? to.add(to.multiply(r, gate(sums, 2)), fromInput)
                                              : addProduct(fromInput, h ? to.multiply(r, h) : h, candidate));
    if (hasComplement)
      return {blend(z, n, h, negated), {}};
    return {h ? to.add(to.multiply(z, to.subtract(h, n)), n) : to.subtract(n, to.multiply(z, n)), {}};
  }

private:
  // Whether the gates z and r of all directions are sigmoids.
  static bool hasSigmoids(const Recurrence &layer) {
    for (size_t i = 0; i < layer.functions.size(); i += 2)
      if (layer.functions[i].name != "Sigmoid")
        return false;
    return true;
  }
  static Recurrence withUpdateGateNegated(const Recurrence &layer, ElementBuilder &to) {
    return withGatesScaled(layer, 3, 1, -1, to);
  }
  // k n + (1 - k) h; `negated` is -h
  mlir::Value blend(mlir::Value k, mlir::Value n, mlir::Value h, mlir::Value negated) {
    if (!h)
      return to.multiply(k, n);
    const mlir::Value pair[] = {n, negated};
    const mlir::Value summands[] = {to.multiply(k, to.concat(pair, gateAxis)), h};
    return sumOf(to.concat(summands, gateAxis));
  }

  bool hasComplement; // whether the first gate is 1 - z instead of z
  mlir::Value recurrence, candidate;
};

// i, f = F(x W + h R + P c + Wb + Rb), n = G(x W + h R + Wb + Rb), c' = f c + i n,
// o = F(x W + h R + P c' + Wb + Rb), h' = o H(c'); with inputForget, f = 1 - i
//
// One multiplication computes i n and f c, whose operands are side by side.
//
// If F is the sigmoid and G is tanh, sums of products are not clipped and there are no peepholes, tanh is applied to
// all gates, as part of the product. The sigmoid of x is (1 + tanh(x / 2)) / 2, so the weights and biases of i, o and
// f are halved, and one more operation is left for these gates, instead of one for them and one for n.
class LstmCell : public PlainCell {
public:
  LstmCell(const Recurrence &layer, ElementBuilder &to)
      : PlainCell(canUseTanh(layer) ? withGatesScaled(layer, 4, 3, 0.5, to) : layer, to, 4),
        usesTanh(canUseTanh(layer)), gates(layer.inputForget ? Gates{0, 1, 3} : Gates{0, 2, 1, 3}),
        recurrence(factor(gates)) {
    if (!layer.peepholes)
      return;
    const mlir::Value all = to.reshape(
        layer.peepholes, layer.hasColumns() ? ElementBuilder::Dims{layer.directions(), 3, layer.hidden, 1}
                                            : ElementBuilder::Dims{layer.directions(), 3, 1, layer.hidden});
    ofCell = pick(all, layer.inputForget ? Gates{0} : Gates{0, 2});
    ofOutput = pick(all, {1});
  }

  mlir::Value inputProducts(mlir::Value inputs) override {
    const mlir::Value products = inputProduct(inputs, gates);
    return layer.bias ? to.add(products, sumOfBiases(gates)) : products;
  }

  CellState step(const CellState &before, mlir::Value products) override {
    mlir::Value sums = addProduct(products, before.hidden, recurrence);
    const mlir::Value c = before.cell;
    if (usesTanh)
      sums = beside(to.make<graph::TanhOp>(sums), c);
    // The first gates are i and f, or only i; then come o and n.
    const int64_t first = layer.inputForget ? 1 : 2;
    mlir::Value early, o;
    if (layer.peepholes) {
      early = activate(0, withPeephole(gate(sums, 0, first), c, ofCell));
    } else {
      const mlir::Value all =
          usesTanh ? halfOfOnePlus(gate(sums, 0, first + 1)) : activate(0, gate(sums, 0, first + 1));
      early = gate(all, 0, first);
      o = gate(all, first);
    }
    const mlir::Value i = gate(early, 0),
                      n = usesTanh ? gate(sums, first + 1) : activate(1, gate(sums, first + 1));
    mlir::Value cell, summands;
    if (c && !layer.inputForget) {
      summands = to.multiply(early, usesTanh ? gate(sums, first + 1, 2) : beside(n, c));
      if (layer.peepholes)
        cell = sumOf(summands);
    } else {
      cell = to.multiply(i, n);
      if (c)
        cell = to.add(to.multiply(to.subtract(to.number(1, i), i), c), cell);
    }
    if (layer.peepholes)
      o = activate(0, withPeephole(gate(sums, first), cell, ofOutput));
    // The function is applied to a sum of its own, so that it becomes part of the instruction that adds. The state is
    // needed later: its sum is another operation, computed while tiles exchange the hidden state.
    const mlir::Value ofFunction = summands ? to.add(gate(summands, 0), gate(summands, 1)) : cell;
    const mlir::Value hidden = to.multiply(o, apply(2, ofFunction));
    return {hidden, cell ? cell : sumOf(summands)};
  }

private:
  static bool canUseTanh(const Recurrence &layer) {
    for (size_t i = 0; i < layer.functions.size(); i += 3)
      if (layer.functions[i].name != "Sigmoid" || layer.functions[i + 1].name != "Tanh")
        return false;
    return !layer.peepholes && layer.clip == 0;
  }
  // The gates with the cell's state as one more gate, if there is a state. They are computed side by side, so that no
  // instruction has to bring operands together.
  mlir::Value beside(mlir::Value gates, mlir::Value state) {
    const mlir::Value both[] = {gates, state};
    return state ? to.concat(both, gateAxis) : gates;
  }
  mlir::Value halfOfOnePlus(mlir::Value value) {
    return to.make<graph::HardSigmoidOp>(value.getType(), value, llvm::APFloat(0.5f), llvm::APFloat(0.5f));
  }
  mlir::Value withPeephole(mlir::Value sums, mlir::Value cell, mlir::Value weights) {
    return cell ? to.add(sums, to.multiply(weights, cell)) : sums;
  }

  bool usesTanh; // whether tanh is applied to the sums of all gates
  Gates gates;
  mlir::Value recurrence, ofCell, ofOutput; // ofCell, ofOutput: peephole weights of the early gates, and of o
};

} // namespace

std::unique_ptr<Cell> lstmCell(const Recurrence &layer, ElementBuilder &to) {
  return std::make_unique<LstmCell>(layer, to);
}
std::unique_ptr<Cell> gruCell(const Recurrence &layer, ElementBuilder &to) {
  return std::make_unique<GruCell>(layer, to);
}
std::unique_ptr<Cell> rnnCell(const Recurrence &layer, ElementBuilder &to) {
  return std::make_unique<RnnCell>(layer, to);
}

} // namespace tilerig::compiler
