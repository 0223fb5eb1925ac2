@secure()
param secret string
param names string[] = []

resource plan 'Microsoft.Web/serverfarms@2023-12-01' = {
  name: join(names, '-')
  location: resourceGroup().location
  sku: { name: 'B1' }
}

output planId string = plan.id
@secure()
output secret string = secret
