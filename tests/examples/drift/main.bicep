param location string = resourceGroup().location

resource plan 'Microsoft.Web/serverfarms@2023-12-01' = {
  name: 'shop-plan'
  location: location
  sku: {
    name: 'P1v3'
  }
}

resource site 'Microsoft.Web/sites@2023-12-01' = {
  name: 'shop-${uniqueString(resourceGroup().id)}'
  location: location
  tags: {
    team: 'checkout'
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    publicNetworkAccess: 'Disabled'
    siteConfig: {
      alwaysOn: true
      minTlsVersion: '1.2'
    }
  }
}

resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: 'shop-insights'
  location: location
  kind: 'web'
  properties: {
    Application_Type: 'web'
  }
}
