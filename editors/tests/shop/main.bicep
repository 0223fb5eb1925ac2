@allowed(['dev', 'prod'])
param environment string

@description('Whether anybody may read the images of the shop')
param publicImages bool = false

param location string = resourceGroup().location

var isProduction = environment == 'prod'

module images 'modules/storage.bicep' = {
  name: 'images'
  params: {
    name: 'stshop${environment}'
    location: location
    isPublic: publicImages
  }
}

resource plan 'Microsoft.Web/serverfarms@2023-12-01' = {
  name: 'plan-shop-${environment}'
  location: location
  sku: { name: isProduction ? 'P1v3' : 'B1', capacity: isProduction ? 3 : 1 }
}

resource site 'Microsoft.Web/sites@2023-12-01' = {
  name: 'app-shop-${environment}'
  location: location
  identity: { type: 'SystemAssigned' }
  properties: {
    serverFarmId: plan.id
    httpsOnly: false
    siteConfig: { minTlsVersion: '1.2', ftpsState: 'Disabled' }
  }
}
