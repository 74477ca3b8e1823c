// More microbatches than an output allows, and joins that a type cannot have.
// RUN: smp-opt %s --smp-infer-joins=microbatches=3 --split-input-file --verify-diagnostics

// expected-error @+1 {{'smp.entry' op cannot have 3 microbatches: output 'total' mixes rows: 'sum' (smp.reduce) combines all rows, by sum; compile it for all rows, or say what becomes of the microbatches' values: sum, mean or stack}}
smp.entry @total(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64})
    -> (tensor<f32> {smp.name = "total"}) {
  %0 = smp.reduce sum %x {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32> loc("sum")
  smp.return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{output 'y' is of type 'i32', which has no mean; take stack, or convert it in the model}}
smp.entry @mean(%x: tensor<4xi32> {smp.name = "x", smp.batch_axis = 0 : i64})
    -> (tensor<4xi32> {smp.name = "y", smp.join = #smp.join<mean>}) {
  smp.return %x : tensor<4xi32>
}

// -----

// expected-error @+1 {{output 'y' is of type 'i1', which has no sum; take stack, or convert it in the model}}
smp.entry @sum(%x: tensor<4xi1> {smp.name = "x", smp.batch_axis = 0 : i64})
    -> (tensor<4xi1> {smp.name = "y", smp.join = #smp.join<sum>}) {
  smp.return %x : tensor<4xi1>
}
