// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// The operand is copied, then updates are applied in order. An index outside is
// noted (it, the bound, the number of the op) and changes nothing.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[T:[a-z0-9]+]]: memref<40xf32> {llvm.noalias}, %[[INDEX:[a-z0-9]+]]: memref<3xi64> {llvm.noalias}, %[[U:[a-z0-9]+]]: memref<12xf32> {llvm.noalias}, %[[Y:[a-z0-9]+]]: memref<40xf32> {llvm.noalias}, %{{[a-z0-9]+}}: memref<1099511627776xi8> {llvm.noalias}, %[[FAULT:[a-z0-9]+]]: memref<3xi64>
// CHECK: scf.for %{{.*}} = %c0 to %c40 step %c1 {
// CHECK: memref.load %[[T]]
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK: scf.for %{{.*}} = %c0 to %c12 step %c1 {
// CHECK: %[[AT:.*]] = memref.load %[[INDEX]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[AT]], %c10_i64 : i64
// CHECK: %[[OUTSIDE:.*]] = arith.cmpi uge, %[[AT]], %c10_i64 : i64
// CHECK: scf.if %[[OUTSIDE]] {
// CHECK: memref.store %[[AT]], %[[FAULT]][%c0]
// CHECK: memref.store %c10_i64, %[[FAULT]][%c1]
// CHECK: }
// CHECK: arith.select %[[INSIDE]], %[[AT]], %c0_i64 : i64
// CHECK: %[[OLD:.*]] = memref.load %[[Y]]
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %{{.*}} : f32
// CHECK: memref.store %[[NEW]], %[[Y]]
smp.entry @f(%t: tensor<10x4xf32> {smp.name = "t"}, %i: tensor<3x1xi64> {smp.name = "i"}, %u: tensor<3x4xf32> {smp.name = "u"}) -> (tensor<10x4xf32> {smp.name = "y"}) {
  %y = smp.scatter_nd %t, %i, %u {kind = #smp.scatter_kind<sum>} : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  smp.return %y : tensor<10x4xf32>
}
