// Rows are followed from the inputs to each output, which is joined along them,
// is the same for all microbatches, or mixes rows and says by which op.
// RUN: smp-opt %s --smp-infer-joins --split-input-file | FileCheck %s

// A row through a layer, a sum over rows, and what knows no row.
// CHECK-LABEL: smp.entry @layer
// CHECK-SAME: (tensor<4x3xf32> {smp.batch_axis = 0 : i64, smp.join = #smp.join<concat>, smp.name = "y"}
// CHECK-SAME: tensor<3xf32> {smp.join = #smp.join<mixed, "'total' (smp.reduce) combines all rows, by sum">, smp.name = "total"}
// CHECK-SAME: tensor<3x3xf32> {smp.join = #smp.join<same>, smp.name = "w"}
// CHECK-SAME: tensor<4x4xf32> {smp.join = #smp.join<mixed, "'alike' (smp.dot_general) pairs every row with every row">, smp.name = "alike"})
smp.variable @w parameter : tensor<3x3xf32> = #smp.splat<0.5>
smp.entry @layer(%x: tensor<4x3xf32> {smp.name = "x", smp.batch_axis = 0 : i64})
    -> (tensor<4x3xf32> {smp.name = "y"}, tensor<3xf32> {smp.name = "total"},
        tensor<3x3xf32> {smp.name = "w"}, tensor<4x4xf32> {smp.name = "alike"}) {
  %w = smp.read @w : tensor<3x3xf32>
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>,
         lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
       : (tensor<4x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
  %1 = smp.softmax %0 {axis = 1 : i64} : tensor<4x3xf32>
  %2 = smp.reduce sum %1 {dimensions = array<i64: 0>} : (tensor<4x3xf32>) -> tensor<3xf32> loc("total")
  %3 = smp.dot_general %1, %1 {lhs_batch = array<i64>, rhs_batch = array<i64>,
         lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>}
       : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32> loc("alike")
  smp.return %1, %2, %w, %3 : tensor<4x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<4x4xf32>
}

// -----

// Rows of the second dimension, cut out and put back by reshapes. Between them
// they are the outer part of a dimension, or within one.
// CHECK-LABEL: smp.entry @reshapes
// CHECK-SAME: tensor<5x2x6xf32> {smp.batch_axis = 1 : i64, smp.join = #smp.join<concat>, smp.name = "back"}
// CHECK-SAME: tensor<10x6xf32> {smp.join = #smp.join<mixed, "its dimension 0 has the rows within something else, 5 times">, smp.name = "inside"}
// CHECK-SAME: tensor<12x5xf32> {smp.batch_axis = 0 : i64, smp.join = #smp.join<concat>, smp.name = "outside"}
smp.entry @reshapes(%x: tensor<5x2x6xf32> {smp.name = "x", smp.batch_axis = 1 : i64})
    -> (tensor<5x2x6xf32> {smp.name = "back"}, tensor<10x6xf32> {smp.name = "inside"},
        tensor<12x5xf32> {smp.name = "outside"}) {
  %0 = smp.reshape %x : tensor<5x2x6xf32> to tensor<10x6xf32>
  %1 = smp.relu %0 : tensor<10x6xf32>
  %2 = smp.reshape %1 : tensor<10x6xf32> to tensor<5x2x6xf32>
  %3 = smp.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<5x2x6xf32>) -> tensor<2x6x5xf32>
  %4 = smp.reshape %3 : tensor<2x6x5xf32> to tensor<12x5xf32>
  smp.return %2, %1, %4 : tensor<5x2x6xf32>, tensor<10x6xf32>, tensor<12x5xf32>
}

// -----

// What has no rows may be added to every row alike, and to no row of its own.
// CHECK-LABEL: smp.entry @additions
// CHECK-SAME: tensor<2x3xf32> {smp.batch_axis = 0 : i64, smp.join = #smp.join<concat>, smp.name = "alike"}
// CHECK-SAME: tensor<2x3xf32> {smp.join = #smp.join<mixed, "'apart' (smp.add) gives each row another part of 'c', which has no rows">, smp.name = "apart"}
// CHECK-SAME: tensor<2x3xf32> {smp.join = #smp.join<mixed, "'late' (smp.add) gives each row another part of a value, which has no rows">, smp.name = "late"}
// CHECK-SAME: tensor<2x3xf32> {smp.batch_axis = 0 : i64, smp.join = #smp.join<concat>, smp.name = "equal"}
smp.entry @additions(%x: tensor<2x3xf32> {smp.name = "x", smp.batch_axis = 0 : i64},
                     %b: tensor<3xf32> {smp.name = "b"}, %c: tensor<2x3xf32> {smp.name = "c"})
    -> (tensor<2x3xf32> {smp.name = "alike"}, tensor<2x3xf32> {smp.name = "apart"},
        tensor<2x3xf32> {smp.name = "late"}, tensor<2x3xf32> {smp.name = "equal"}) {
  %0 = smp.exp %b : tensor<3xf32>
  %1 = smp.broadcast %0 {dimensions = array<i64: 1>} : tensor<3xf32> to tensor<2x3xf32>
  %2 = smp.add %x, %1 : tensor<2x3xf32>
  %3 = smp.add %x, %c : tensor<2x3xf32> loc("apart")
  %4 = smp.iota 0 : tensor<2x3xf32>
  %5 = smp.add %x, %4 : tensor<2x3xf32> loc("late")
  %6 = smp.constant dense<[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>
  %7 = smp.add %x, %6 : tensor<2x3xf32>
  smp.return %2, %3, %5, %7 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// What a person says holds: sums, means, stacks. An axis that is declared is
// checked, and tells dimensions of size one apart.
// CHECK-LABEL: smp.entry @said
// CHECK-SAME: tensor<f32> {smp.join = #smp.join<sum>, smp.name = "sum"}
// CHECK-SAME: tensor<1xf32> {smp.batch_axis = 0 : i64, smp.join = #smp.join<concat>, smp.name = "stack"}
// CHECK-SAME: tensor<1x1x3xf32> {smp.batch_axis = 1 : i64, smp.join = #smp.join<concat>, smp.name = "second"}
// CHECK-SAME: tensor<1x3xf32> {smp.join = #smp.join<mixed, "its rows are along dimension 0, and dimension 1 is declared as the batch's">, smp.name = "wrong"}
// CHECK: %[[STACKED:.*]] = smp.reshape %{{.*}} : tensor<f32> to tensor<1xf32>
// CHECK: smp.return %{{.*}}, %[[STACKED]]
smp.entry @said(%x: tensor<1x3xf32> {smp.name = "x", smp.batch_axis = 0 : i64})
    -> (tensor<f32> {smp.name = "sum", smp.join = #smp.join<sum>},
        tensor<f32> {smp.name = "stack", smp.join = #smp.join<stack>},
        tensor<1x1x3xf32> {smp.name = "second", smp.batch_axis = 1 : i64},
        tensor<1x3xf32> {smp.name = "wrong", smp.batch_axis = 1 : i64}) {
  %0 = smp.reduce sum %x {dimensions = array<i64: 0, 1>} : (tensor<1x3xf32>) -> tensor<f32>
  %1 = smp.reshape %x : tensor<1x3xf32> to tensor<1x1x3xf32>
  smp.return %0, %0, %1, %x : tensor<f32>, tensor<f32>, tensor<1x1x3xf32>, tensor<1x3xf32>
}

// -----

// A step's outputs are of each microbatch, whatever they mix; what is said of
// them holds. What is there once per step is stacked alone.
// CHECK-LABEL: smp.entry @step
// CHECK-SAME: tensor<f32> {smp.join = #smp.join<each>, smp.name = "loss"}
// CHECK-SAME: tensor<f32> {smp.join = #smp.join<mean>, smp.name = "mean"}
// CHECK-SAME: tensor<4xf32> {smp.batch_axis = 0 : i64, smp.join = #smp.join<each>, smp.name = "rows"}
// CHECK-SAME: tensor<1xf32> {smp.join = #smp.join<each>, smp.name = "once"}
smp.entry @step(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64})
    -> (tensor<f32> {smp.name = "loss"}, tensor<f32> {smp.name = "mean", smp.join = #smp.join<mean>},
        tensor<4xf32> {smp.name = "rows", smp.batch_axis = 0 : i64},
        tensor<f32> {smp.name = "once", smp.join = #smp.join<stack>})
    attributes {smp.microbatches = 2 : i64} {
  %0 = smp.reduce sum %x {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %1 = smp.accumulate %0 : tensor<f32>
  smp.return %0, %0, %x, %1 : tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<f32>
}

// -----

// A state that changes hands something of one row to the next.
// CHECK-LABEL: smp.entry @state
// CHECK-SAME: tensor<1x3xf32> {smp.join = #smp.join<mixed, "'h' (smp.read) reads a state that changes with every microbatch">, smp.name = "y"}
smp.variable @h state : tensor<1x3xf32> = #smp.splat<0.0>
smp.entry @state(%x: tensor<1x3xf32> {smp.name = "x", smp.batch_axis = 0 : i64})
    -> (tensor<1x3xf32> {smp.name = "y"}) {
  %0 = smp.read @h : tensor<1x3xf32> loc("h")
  %1 = smp.add %x, %0 : tensor<1x3xf32>
  smp.assign @h, %1 : tensor<1x3xf32>
  smp.return %1 : tensor<1x3xf32>
}

// -----

// Where an op is, is no matter; a pin survives.
// CHECK-LABEL: smp.entry @pinned
// CHECK: smp.relu %{{.*}} {smp.placement = #smp.placement<1, user>}
// CHECK: smp.reshape %{{.*}} {smp.placement = #smp.placement<1, propagated>}
smp.entry @pinned(%x: tensor<2xf32> {smp.name = "x", smp.batch_axis = 0 : i64})
    -> (tensor<2xf32> {smp.name = "y", smp.join = #smp.join<stack>}) {
  %0 = smp.relu %x {smp.placement = #smp.placement<1, user>} : tensor<2xf32>
  smp.return %0 : tensor<2xf32>
}
