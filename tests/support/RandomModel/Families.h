// The families of operators of which random ONNX models are made.
//
// Each function adds one operator, or a block of a few operators that belong together, to a graph. It adds
// nothing if the drawn operator does not fit.
#pragma once

#include "tests/support/RandomModel/Graph.h"

namespace tilerig::test {

// The functions that add convolutions and pools are in Windows.cpp.
void addConvolution(RandomGraph &graph);
void addTransposedConvolution(RandomGraph &graph);
void addPool(RandomGraph &graph);
void addGlobalPool(RandomGraph &graph);
// The functions that add matrix products are in Products.cpp.
void addGemm(RandomGraph &graph);
void addMatMul(RandomGraph &graph);
void addProductOfValues(RandomGraph &graph);
// The functions that add normalisations and softmax are in Normalisations.cpp.
void addBatchNorm(RandomGraph &graph);
void addInstanceNorm(RandomGraph &graph);
void addLayerNorm(RandomGraph &graph);
void addLocalNorm(RandomGraph &graph);
void addSoftmax(RandomGraph &graph);
// The functions that add elementwise operators are in Elementwise.cpp.
void addUnary(RandomGraph &graph);
void addParametric(RandomGraph &graph);
void addBinary(RandomGraph &graph);
void addJoin(RandomGraph &graph);
void addClip(RandomGraph &graph);
void addComparison(RandomGraph &graph);
void addChoice(RandomGraph &graph);
void addNoise(RandomGraph &graph);
// The functions that add operators that only move elements are in Movement.cpp.
void addReshape(RandomGraph &graph);
void addTranspose(RandomGraph &graph);
void addConcat(RandomGraph &graph);
void addSlice(RandomGraph &graph);
void addSplit(RandomGraph &graph);
void addPad(RandomGraph &graph);
void addRepeat(RandomGraph &graph);
void addGather(RandomGraph &graph);
void addBlocksOfPixels(RandomGraph &graph);
// Reductions, in Reductions.cpp
void addReduction(RandomGraph &graph);
void addExtremePosition(RandomGraph &graph);
// The functions that add blocks of layers are in Blocks.cpp.
void addConvolutionBlock(RandomGraph &graph);
void addResidualBlock(RandomGraph &graph);
void addSqueezeAndExcite(RandomGraph &graph);
void addUpsampling(RandomGraph &graph);
void addChannelShuffle(RandomGraph &graph);
void addTransposeSandwich(RandomGraph &graph);
void addAttention(RandomGraph &graph);
// The functions that add patterns (one function such as GELU, written as several operators) are in
// Patterns.cpp.
void addGeluPattern(RandomGraph &graph);
void addSiluPattern(RandomGraph &graph);
void addHardSwishPattern(RandomGraph &graph);
void addLayerNormPattern(RandomGraph &graph);
void addGroupNormPattern(RandomGraph &graph);
// The functions that add computed shapes and tables are in Shapes.cpp.
void addFlattenByShape(RandomGraph &graph);
void addExpandByShape(RandomGraph &graph);
void addConstantTable(RandomGraph &graph);

// --- Families of the sets of operators `wide` and `every` (RandomModel.h), each in a file of its own ---

void addRareFunction(RandomGraph &graph);        // Functions.cpp
void addIntegers(RandomGraph &graph);            // Integers.cpp
void addSelection(RandomGraph &graph);           // Selecting.cpp
void addByIndices(RandomGraph &graph);           // Gathering.cpp
void addSampling(RandomGraph &graph);            // Sampling.cpp
void addRecurrent(RandomGraph &graph);           // Recurrent.cpp
void addTransformerOperator(RandomGraph &graph); // Transformers.cpp
void addControlFlow(RandomGraph &graph);         // ControlFlow.cpp
void addOpenRows(RandomGraph &graph);            // OpenRows.cpp
void addRuntimeLayer(RandomGraph &graph);        // RuntimeLayers.cpp
void addRuntimeAttention(RandomGraph &graph);    // RuntimeAttention.cpp

// Only of the set `every`: quantised operators.
void addQuantised(RandomGraph &graph);        // Quantising.cpp
void addRuntimeQuantised(RandomGraph &graph); // RuntimeQuantised.cpp

// Adds random operators of all families that the graph draws from, until it has `nodes` nodes.
void addSome(RandomGraph &graph, int nodes);

} // namespace tilerig::test
