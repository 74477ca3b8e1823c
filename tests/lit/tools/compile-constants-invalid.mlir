// RUN: not smp-compile %s -o %t.smp 2>&1 | FileCheck %s

// A splat may stand for any number of elements; a program has room for so many.
// CHECK: 'smp.constant' op of type 'tensor<274877906944xf32>' makes more than 1073741824 bytes of constants
// CHECK: was not compiled
smp.entry @predict(%x: tensor<f32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "y"}) {
  %c = smp.constant dense<1.0> : tensor<274877906944xf32>
  %sum = smp.reduce sum %c {dimensions = array<i64: 0>} : (tensor<274877906944xf32>) -> tensor<f32>
  %y = smp.add %x, %sum : tensor<f32>
  smp.return %y : tensor<f32>
}
